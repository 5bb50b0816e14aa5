package pods

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// tokenLife is how long a pod's token is asked to be valid, as by a kubelet.
const tokenLife = time.Hour

// renewAfter is the part of its life after which a token is renewed, as by a kubelet.
const renewAfter = 0.8

// identity is a pod's login: a kubeconfig that reads its token from a file beside it, and a
// token in there that is always valid.
type identity struct {
	client                    kubernetes.Interface
	namespace, serviceAccount string
	kubeconfig, tokenFile     string
	due                       time.Time // when the next token has to be there
}

// newIdentity writes the kubeconfig into dir. The first token is due at once.
func newIdentity(config *rest.Config, client kubernetes.Interface, namespace, serviceAccount, dir string) (*identity, error) {
	id := &identity{
		client:         client,
		namespace:      namespace,
		serviceAccount: serviceAccount,
		kubeconfig:     filepath.Join(dir, "kubeconfig"),
		tokenFile:      filepath.Join(dir, "token"),
	}
	ca := config.CAData
	if len(ca) == 0 && config.CAFile != "" {
		var err error
		if ca, err = os.ReadFile(config.CAFile); err != nil {
			return nil, fmt.Errorf("read the CA of the cluster: %w", err)
		}
	}
	const name = "pod"
	file := clientcmdapi.NewConfig()
	file.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   config.Host,
		CertificateAuthorityData: ca,
		InsecureSkipTLSVerify:    config.Insecure,
		TLSServerName:            config.ServerName,
	}
	file.AuthInfos[name] = &clientcmdapi.AuthInfo{TokenFile: id.tokenFile}
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: namespace}
	file.CurrentContext = name
	if err := clientcmd.WriteToFile(*file, id.kubeconfig); err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	return id, nil
}

// renew gets a new token. Clients read the file again by themselves, about once a minute.
func (id *identity) renew(ctx context.Context) error {
	seconds := int64(tokenLife.Seconds())
	asked := time.Now()
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	answer, err := id.client.CoreV1().ServiceAccounts(id.namespace).CreateToken(ctx, id.serviceAccount, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("get a token of ServiceAccount %s/%s: %w", id.namespace, id.serviceAccount, err)
	}
	fresh := id.tokenFile + ".new"
	if err := os.WriteFile(fresh, []byte(answer.Status.Token), 0o600); err != nil {
		return fmt.Errorf("write a token: %w", err)
	}
	if err := os.Rename(fresh, id.tokenFile); err != nil {
		return fmt.Errorf("write a token: %w", err)
	}
	life := answer.Status.ExpirationTimestamp.Sub(asked)
	id.due = asked.Add(time.Duration(float64(life) * renewAfter))
	return nil
}
