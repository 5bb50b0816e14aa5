package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/dispatch"
	"wheelwright.dev/wheelwright/examples"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// patience bounds each wait. It is long, since it only matters to what fails.
const patience = 90 * time.Second

// eventually waits until check returns nil, and fails with its last error when it does not.
func eventually(t *testing.T, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waited %s: %v", patience, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// newNamespace makes a namespace on the hub that may reach every cluster. It is deleted with the test, and the test fails
// when the Applications in it leave anything behind.
func newNamespace(t *testing.T) string {
	t.Helper()
	name := "e2e-" + rand.String(6)
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	create(t, &clusterv1beta2.ManagedClusterSetBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "default"},
		Spec:       clusterv1beta2.ManagedClusterSetBindingSpec{ClusterSet: "default"},
	})
	t.Cleanup(func() { removeNamespace(t, name) })
	return name
}

func removeNamespace(t *testing.T, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	if err := shared.hubClient.DeleteAllOf(ctx, &corev1alpha1.Application{}, client.InNamespace(name)); err != nil {
		t.Errorf("deleting the Applications of %s: %v", name, err)
	}
	for {
		left, err := leftovers(ctx, name)
		if err == nil && len(left) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			t.Errorf("after deletion there is still %s (%v)", strings.Join(left, ", "), err)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err := shared.hubClient.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		t.Errorf("deleting namespace %s: %v", name, err)
	}
}

// leftovers are the traces of a namespace's Applications on the hub and the spokes.
func leftovers(ctx context.Context, namespace string) ([]string, error) {
	var left []string
	apps := &corev1alpha1.ApplicationList{}
	works := &workv1.ManifestWorkList{}
	err := errors.Join(
		shared.hubClient.List(ctx, apps, client.InNamespace(namespace)),
		shared.hubClient.List(ctx, works, client.MatchingLabels{dispatch.NamespaceLabel: namespace}),
	)
	for i := range apps.Items {
		left = append(left, "Application "+apps.Items[i].Name)
	}
	for i := range works.Items {
		left = append(left, "ManifestWork "+works.Items[i].Namespace+"/"+works.Items[i].Name)
	}
	for name, spokeClient := range shared.spokeClients {
		components, trackers, configs := &corev1alpha1.ComponentList{}, &corev1alpha1.ResourceTrackerList{}, &corev1.ConfigMapList{}
		err = errors.Join(err,
			spokeClient.List(ctx, components, client.InNamespace(namespace)),
			spokeClient.List(ctx, trackers),
			spokeClient.List(ctx, configs, client.InNamespace(namespace), client.HasLabels{corev1alpha1.ComponentUIDLabel}))
		for i := range components.Items {
			left = append(left, "Component "+components.Items[i].Name+" on "+name)
		}
		for i := range trackers.Items {
			if trackers.Items[i].Spec.Component.Namespace == namespace {
				left = append(left, "ResourceTracker "+trackers.Items[i].Name+" on "+name)
			}
		}
		for i := range configs.Items {
			left = append(left, "ConfigMap "+configs.Items[i].Name+" on "+name)
		}
	}
	return left, err
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := shared.hubClient.Create(t.Context(), object); err != nil {
		t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
	}
}

// newDefinition installs the quickstart's webservice under a name of its own, so that tests can change theirs.
func newDefinition(t *testing.T, change func(*corev1alpha1.ComponentDefinition)) string {
	t.Helper()
	content, err := examples.Quickstart.ReadFile("quickstart/definition.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definition := &corev1alpha1.ComponentDefinition{}
	if err := yaml.UnmarshalStrict(content, definition); err != nil {
		t.Fatal(err)
	}
	definition.Name = "webservice-" + rand.String(6)
	if change != nil {
		change(definition)
	}
	create(t, definition)
	t.Cleanup(func() {
		if err := shared.hubClient.Delete(context.WithoutCancel(t.Context()), definition); client.IgnoreNotFound(err) != nil {
			t.Errorf("deleting definition %s: %v", definition.Name, err)
		}
	})
	return definition.Name
}

type change func(*corev1alpha1.Application)

// newApplication creates an Application on both spokes.
func newApplication(t *testing.T, namespace, name string, changes ...change) *corev1alpha1.Application {
	t.Helper()
	app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	app.Spec.Placement.ClusterSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"region": "eu"}}
	for _, apply := range changes {
		apply(app)
	}
	create(t, app)
	return app
}

// component adds a component with the given properties.
func component(name, typ string, properties map[string]any, dependsOn ...string) change {
	return func(app *corev1alpha1.Application) {
		c := corev1alpha1.ApplicationComponent{Name: name, Type: typ, Properties: raw(properties)}
		for _, other := range dependsOn {
			c.DependsOn = append(c.DependsOn, corev1alpha1.Dependency{Name: other})
		}
		app.Spec.Components = append(app.Spec.Components, c)
	}
}

func onClusters(names ...string) change {
	return func(app *corev1alpha1.Application) {
		app.Spec.Placement = corev1alpha1.ApplicationPlacement{Clusters: names}
	}
}

func raw(properties map[string]any) *runtime.RawExtension {
	content, err := json.Marshal(properties)
	if err != nil {
		panic(err)
	}
	return &runtime.RawExtension{Raw: content}
}

// web are properties of the quickstart's webservice.
func web(config ...string) map[string]any {
	values := map[string]any{}
	for i := 0; i+1 < len(config); i += 2 {
		values[config[i]] = config[i+1]
	}
	return map[string]any{"image": "registry.example/web:1", "config": values}
}

// edit changes an Application as it is now, again when somebody else was faster.
func edit(t *testing.T, app *corev1alpha1.Application, apply change) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		if err := shared.hubClient.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		before := app.DeepCopy()
		apply(app)
		return shared.hubClient.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
}

func setProperties(component string, properties map[string]any) change {
	return func(app *corev1alpha1.Application) {
		for i := range app.Spec.Components {
			if app.Spec.Components[i].Name == component {
				app.Spec.Components[i].Properties = raw(properties)
			}
		}
	}
}

// awaitReady waits until the hub reads every component of the current generation healthy on every cluster.
func awaitReady(t *testing.T, app *corev1alpha1.Application) {
	t.Helper()
	awaitCondition(t, app, condition.Ready, metav1.ConditionTrue, condition.ReasonReady)
}

func awaitCondition(t *testing.T, app *corev1alpha1.Application, typ string, status metav1.ConditionStatus, reason string) *metav1.Condition {
	t.Helper()
	var found *metav1.Condition
	eventually(t, func(ctx context.Context) error {
		if err := shared.hubClient.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		found = meta.FindStatusCondition(app.Status.Conditions, typ)
		if found == nil || found.ObservedGeneration != app.Generation || found.Status != status || found.Reason != reason {
			return fmt.Errorf("Application %s: want %s=%s/%s at generation %d, have %s", app.Name, typ, status, reason, app.Generation, dump(app))
		}
		return nil
	})
	return found
}

// dump is what a person needs to see of an Application that is not as it should be.
func dump(app *corev1alpha1.Application) string {
	content, err := yaml.Marshal(map[string]any{"generation": app.Generation, "status": app.Status})
	if err != nil {
		return err.Error()
	}
	return "\n" + string(content)
}

func worksOf(t *testing.T, app *corev1alpha1.Application) []workv1.ManifestWork {
	t.Helper()
	works := &workv1.ManifestWorkList{}
	err := shared.hubClient.List(t.Context(), works, client.MatchingLabels{dispatch.OwnerUIDLabel: string(app.UID)})
	if err != nil {
		t.Fatal(err)
	}
	return works.Items
}

func getWork(t *testing.T, cluster, namespace, component string) (*workv1.ManifestWork, error) {
	t.Helper()
	work := &workv1.ManifestWork{}
	key := types.NamespacedName{Namespace: cluster, Name: dispatch.WorkName("Component", namespace, component)}
	return work, shared.hubClient.Get(t.Context(), key, work)
}

// spokeConfig reads a value of a component's ConfigMap on a spoke; absent is "".
func spokeConfig(ctx context.Context, cluster, namespace, component, key string) (string, error) {
	config := &corev1.ConfigMap{}
	err := shared.spokeClients[cluster].Get(ctx, types.NamespacedName{Namespace: namespace, Name: component + "-config"}, config)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	return config.Data[key], err
}
