package live

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Requests that one command may send in a second, and at once, as kubectl has it: the default of client-go is for controllers
// that have time.
const (
	requestsPerSecond = 50
	requestsAtOnce    = 300
)

// Connect makes a client for what this package and its neighbours read.
func Connect(config *rest.Config) (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, corev1alpha1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("building the scheme: %w", err)
		}
	}
	quick := rest.CopyConfig(config)
	quick.QPS, quick.Burst = requestsPerSecond, requestsAtOnce
	return client.NewWithWatch(quick, client.Options{Scheme: scheme})
}

// Get reads a Component. The error says what to do where it is not there.
func Get(ctx context.Context, reader client.Reader, key client.ObjectKey) (*corev1alpha1.Component, error) {
	component := &corev1alpha1.Component{}
	if err := reader.Get(ctx, key, component); err != nil {
		return nil, Explain(fmt.Sprintf("Component %s", key), err)
	}
	component.SetGroupVersionKind(corev1alpha1.GroupVersion.WithKind("Component"))
	return component, nil
}

// Explain says of an error in reading Components what to do about it.
func Explain(what string, err error) error {
	switch {
	case meta.IsNoMatchError(err):
		return errors.New("this cluster knows no Components: install the agent there, or name a cluster that has it with --context")
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s is not on this cluster: run wheel get component -A to see which are", what)
	}
	return fmt.Errorf("reading %s: %w", what, err)
}

// refusal says in a few words why something could not be read.
func refusal(what string, err error) string {
	switch {
	case apierrors.IsForbidden(err):
		return "you may not read " + what
	case meta.IsNoMatchError(err):
		return what + " are not served by this cluster"
	}
	return fmt.Sprintf("reading %s: %v", what, err)
}
