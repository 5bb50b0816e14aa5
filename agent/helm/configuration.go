package helm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"helm.sh/helm/v3/pkg/action"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// configuration is Helm's own for one operation. Releases are kept in Secrets, as Helm does unless it is told otherwise, so
// that people see them with helm list.
func configuration(ctx context.Context, rights *rest.Config, namespace string) (*action.Configuration, error) {
	bound := rest.CopyConfig(rights)
	bound.Wrap(func(next http.RoundTripper) http.RoundTripper { return tether{ctx, next} })
	client, err := discovery.NewDiscoveryClientForConfig(bound)
	if err != nil {
		return nil, fmt.Errorf("making a discovery client: %w", err)
	}
	cached := memory.NewMemCacheClient(client)
	clients := getter{
		config: bound, discovery: cached, mapper: restmapper.NewDeferredDiscoveryRESTMapper(cached), namespace: namespace,
	}
	config := &action.Configuration{}
	if err := config.Init(clients, namespace, "secret", func(string, ...any) {}); err != nil {
		return nil, fmt.Errorf("setting up Helm: %w", err)
	}
	return config, nil
}

// getter gives Helm the workflow's rights, and nothing of the agent's environment.
type getter struct {
	config    *rest.Config
	discovery discovery.CachedDiscoveryInterface
	mapper    meta.ResettableRESTMapper
	namespace string
}

func (g getter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

func (g getter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.discovery, nil
}

func (g getter) ToRESTMapper() (meta.RESTMapper, error) { return g.mapper, nil }

// ToRawKubeConfigLoader is asked for the namespace alone.
func (g getter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	overrides := &clientcmd.ConfigOverrides{Context: clientcmdapi.Context{Namespace: g.namespace}}
	return clientcmd.NewDefaultClientConfig(clientcmdapi.Config{}, overrides)
}

// tether ties all requests of Helm, which knows no contexts, to the context of the operation.
type tether struct {
	ctx  context.Context
	next http.RoundTripper
}

func (t tether) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.ctx.Err() != nil {
		return ended(request)
	}
	ctx, cancel := context.WithCancel(request.Context())
	stop := context.AfterFunc(t.ctx, cancel)
	release := func() { stop(); cancel() }
	response, err := t.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		release()
		if t.ctx.Err() != nil {
			return ended(request)
		}
		return nil, err
	}
	response.Body = &body{response.Body, release}
	return response, nil
}

// body lets go of the context when it is closed.
type body struct {
	io.ReadCloser
	release func()
}

func (b *body) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

// ended is an answer rather than an error, since Helm asks again after errors of the connection, until its timeout.
func ended(request *http.Request) (*http.Response, error) {
	encoded, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Message: "the operation was ended", Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden,
	})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: "403 Forbidden", StatusCode: http.StatusForbidden, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(encoded)),
		Body: io.NopCloser(bytes.NewReader(encoded)), Request: request,
	}, nil
}
