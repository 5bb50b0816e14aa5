package fleet

import (
	"fmt"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig is the path of a kubeconfig with a context for each cluster, the hub's being current.
func (f *Embedded) Kubeconfig() string { return filepath.Join(f.options.Dir, "kubeconfig") }

// writeKubeconfig joins the kubeconfigs of all clusters.
func (f *Embedded) writeKubeconfig() error {
	joined := clientcmdapi.NewConfig()
	for _, plane := range append(f.spokePlanes(), f.hub) {
		one, err := clientcmd.LoadFromFile(plane.Kubeconfig())
		if err != nil {
			return fmt.Errorf("reading the kubeconfig of %s: %w", plane.Name(), err)
		}
		context := one.Contexts[one.CurrentContext]
		joined.Clusters[plane.Name()] = one.Clusters[context.Cluster]
		joined.AuthInfos[plane.Name()] = one.AuthInfos[context.AuthInfo]
		joined.Contexts[plane.Name()] = &clientcmdapi.Context{Cluster: plane.Name(), AuthInfo: plane.Name()}
	}
	joined.CurrentContext = f.hub.Name()
	if err := clientcmd.WriteToFile(*joined, f.Kubeconfig()); err != nil {
		return fmt.Errorf("writing the fleet's kubeconfig: %w", err)
	}
	return nil
}
