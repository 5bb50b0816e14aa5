package pods

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// clusterObjects reads ConfigMaps and Secrets of a namespace from the API server.
type clusterObjects struct {
	client    kubernetes.Interface
	namespace string
}

func (o clusterObjects) configMap(ctx context.Context, name string) (map[string][]byte, error) {
	object, err := o.client.CoreV1().ConfigMaps(o.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	content := map[string][]byte{}
	for key, value := range object.Data {
		content[key] = []byte(value)
	}
	for key, value := range object.BinaryData {
		content[key] = value
	}
	return content, nil
}

func (o clusterObjects) secret(ctx context.Context, name string) (map[string][]byte, error) {
	object, err := o.client.CoreV1().Secrets(o.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return object.Data, nil
}
