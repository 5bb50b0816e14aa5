package embedded

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// tokenLife is how long the token in a TokenKubeconfig is valid.
const tokenLife = 24 * time.Hour

// Requests per second of RESTConfig. client-go's defaults of 5 and 10 are meant to spare a
// server that many share; here a test waits for its own throttle.
const (
	clientQPS   = 500
	clientBurst = 1000
)

// Kubeconfig is the path of the administrator's kubeconfig. The file holds all it needs, its
// context is called as the control plane is, and only this user may read it.
func (c *ControlPlane) Kubeconfig() string { return c.kubeconfigFile(adminUser) }

// RESTConfig returns a new client configuration of the administrator, who may do everything.
func (c *ControlPlane) RESTConfig() *rest.Config {
	return &rest.Config{
		Host: c.url(),
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   c.pki.cluster.cert,
			CertData: c.admin.cert,
			KeyData:  c.admin.key,
		},
		QPS:   clientQPS,
		Burst: clientBurst,
	}
}

// TokenKubeconfig writes a kubeconfig to path by which one acts as a ServiceAccount, with its
// namespace as the default one. The token in it is valid for a day.
func (c *ControlPlane) TokenKubeconfig(ctx context.Context, namespace, serviceAccount, path string) error {
	seconds := int64(tokenLife.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	answer, err := c.client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, serviceAccount, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("get a token of ServiceAccount %s/%s in %q: %w", namespace, serviceAccount, c.name, err)
	}
	return c.writeKubeconfig(path, namespace, &clientcmdapi.AuthInfo{Token: answer.Status.Token})
}

// writeUsers writes the kubeconfigs of the administrator and of the control plane's own
// programs, each with the identity that RBAC knows it by.
func (c *ControlPlane) writeUsers() error {
	const masters = "system:masters"
	users := map[string]struct{ name, group string }{
		adminUser:         {"admin", masters},
		controllerManager: {"system:kube-controller-manager", ""},
		scheduler:         {"system:kube-scheduler", ""},
		// kwok plays all of the kubelets, for which there is no role.
		kwok: {"kwok", masters},
	}
	for file, user := range users {
		var groups []string
		if user.group != "" {
			groups = []string{user.group}
		}
		pair, err := c.pki.cluster.client(user.name, groups...)
		if err != nil {
			return err
		}
		if file == adminUser {
			c.admin = pair
		}
		login := &clientcmdapi.AuthInfo{ClientCertificateData: pair.cert, ClientKeyData: pair.key}
		if err := c.writeKubeconfig(c.kubeconfigFile(file), metav1.NamespaceDefault, login); err != nil {
			return err
		}
	}
	return nil
}

func (c *ControlPlane) writeKubeconfig(path, namespace string, user *clientcmdapi.AuthInfo) error {
	config := clientcmdapi.NewConfig()
	config.Clusters[c.name] = &clientcmdapi.Cluster{Server: c.url(), CertificateAuthorityData: c.pki.cluster.cert}
	config.AuthInfos[c.name] = user
	config.Contexts[c.name] = &clientcmdapi.Context{Cluster: c.name, AuthInfo: c.name, Namespace: namespace}
	config.CurrentContext = c.name
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}

func (c *ControlPlane) url() string { return fmt.Sprintf("https://127.0.0.1:%d", c.ports.apiServer) }
