package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/examples"
	"wheelwright.dev/wheelwright/fleet"
	"wheelwright.dev/wheelwright/fleet/build"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// namespace of everything that is measured.
const namespace = "bench"

type bench struct {
	fleet       *fleet.Embedded
	assets      build.Assets
	spoke       string
	hubClient   client.WithWatch
	spokeClient client.WithWatch
}

func newBench(ctx context.Context, running *fleet.Embedded, assets build.Assets) (*bench, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), corev1alpha1.AddToScheme(scheme), workv1.Install(scheme), clusterv1beta2.Install(scheme))
	if err != nil {
		return nil, err
	}
	b := &bench{fleet: running, assets: assets, spoke: running.Spokes()[0].Name}
	if b.hubClient, err = client.NewWithWatch(running.Hub().Config, client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	if b.spokeClient, err = client.NewWithWatch(quick(running.Spokes()[0].Config), client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	return b, b.prepare(ctx)
}

// quick is config without a limit of its own: what is measured is how fast the cluster is.
func quick(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS = -1
	return config
}

// prepare makes what every measurement needs: a namespace that may reach the cluster, and the quickstart's definition.
func (b *bench) prepare(ctx context.Context) error {
	definition, err := quickstartDefinition()
	if err != nil {
		return err
	}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&clusterv1beta2.ManagedClusterSetBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "default"},
			Spec:       clusterv1beta2.ManagedClusterSetBindingSpec{ClusterSet: "default"},
		},
		definition,
	} {
		if err := b.hubClient.Create(ctx, object); err != nil {
			return fmt.Errorf("creating %s: %w", object.GetName(), err)
		}
	}
	return nil
}

func quickstartDefinition() (*corev1alpha1.ComponentDefinition, error) {
	content, err := examples.Quickstart.ReadFile("quickstart/definition.yaml")
	if err != nil {
		return nil, err
	}
	definition := &corev1alpha1.ComponentDefinition{}
	return definition, yaml.UnmarshalStrict(content, definition)
}

// newApplication is an Application of n web services on the cluster.
func (b *bench) newApplication(name string, n int) *corev1alpha1.Application {
	app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	app.Spec.Placement.Clusters = []string{b.spoke}
	for i := range n {
		app.Spec.Components = append(app.Spec.Components, corev1alpha1.ApplicationComponent{
			Name: fmt.Sprintf("c%03d", i), Type: "webservice", Properties: properties(0),
		})
	}
	return app
}

func properties(n int) *runtime.RawExtension {
	return &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"image":"registry.example/web:1","config":{"n":"%d"}}`, n)}
}

// awaitReady watches the Application until the hub reads all of its current generation healthy.
func (b *bench) awaitReady(ctx context.Context, app *corev1alpha1.Application, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	events, err := b.hubClient.Watch(ctx, &corev1alpha1.ApplicationList{}, client.InNamespace(namespace), client.MatchingFields{"metadata.name": app.Name})
	if err != nil {
		return err
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		if now, ok := event.Object.(*corev1alpha1.Application); ok {
			now.DeepCopyInto(app)
			if event.Type != watch.Deleted && ready(now) {
				return nil
			}
		}
	}
	c := meta.FindStatusCondition(app.Status.Conditions, condition.Ready)
	return fmt.Errorf("application %s did not become ready: %w: %+v", app.Name, ctx.Err(), c)
}

func ready(app *corev1alpha1.Application) bool {
	c := meta.FindStatusCondition(app.Status.Conditions, condition.Ready)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == app.Generation
}

// remove deletes the Application and watches until it is gone.
func (b *bench) remove(ctx context.Context, app *corev1alpha1.Application) error {
	events, err := b.hubClient.Watch(ctx, &corev1alpha1.ApplicationList{}, client.InNamespace(namespace), client.MatchingFields{"metadata.name": app.Name})
	if err != nil {
		return err
	}
	defer events.Stop()
	if err := b.hubClient.Delete(ctx, app); err != nil {
		return err
	}
	for event := range events.ResultChan() {
		if event.Type == watch.Deleted {
			return nil
		}
	}
	return fmt.Errorf("watching the end of Application %s: %w", app.Name, ctx.Err())
}
