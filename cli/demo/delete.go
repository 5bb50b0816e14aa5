package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
	"wheelwright.dev/wheelwright/fleet"
	applicationcontroller "wheelwright.dev/wheelwright/hub/application"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// remains are the kinds that a delivered Application leaves traces in, with the label that finds them.
var (
	hubRemains = []remain{
		{schema.GroupVersionKind{Group: "work.open-cluster-management.io", Version: "v1", Kind: "ManifestWork"}, dispatch.KindLabel},
		{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}, applicationcontroller.ApplicationUIDLabel},
	}
	spokeRemains = []remain{
		{corev1alpha1.GroupVersion.WithKind("Component"), ""},
		{corev1alpha1.GroupVersion.WithKind("ResourceTracker"), ""},
		{schema.GroupVersionKind{Group: "work.open-cluster-management.io", Version: "v1", Kind: "AppliedManifestWork"}, ""},
		{schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, corev1alpha1.ComponentUIDLabel},
		{schema.GroupVersionKind{Version: "v1", Kind: "Service"}, corev1alpha1.ComponentUIDLabel},
		{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, corev1alpha1.ComponentUIDLabel},
	}
)

type remain struct {
	kind  schema.GroupVersionKind
	label string
}

// delete deletes the application and waits until nothing of it is left anywhere.
func (d *demo) delete(ctx context.Context) error {
	d.steps.Printf("\nDeleting the application.\n")
	app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: application.Namespace, Name: application.Name}}
	if err := d.hubClient.Delete(ctx, app); err != nil {
		return fmt.Errorf("deleting application shop: %w", err)
	}
	news, done := d.steps.Follow("withdrawing it from both clusters, dependents first")
	err := d.follow(ctx, func(event watch.EventType, app *corev1alpha1.Application) (bool, error) {
		if event == watch.Deleted {
			return true, nil
		}
		news(summary(app))
		return false, nil
	})
	done(err)
	if err != nil {
		return fmt.Errorf("application shop is not gone: %w", err)
	}
	return d.steps.Run("nothing is left on the hub and the spokes, but the namespace, which Wheelwright never deletes", func() error {
		return d.awaitNothing(ctx)
	})
}

// awaitNothing waits for the last traces: Kubernetes' garbage collector takes a moment for what belonged to the Application.
func (d *demo) awaitNothing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var left []string
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		var err error
		left, err = d.left(ctx)
		return len(left) == 0, err
	})
	if err != nil {
		return fmt.Errorf("there is still %s: %w", strings.Join(left, ", "), err)
	}
	return nil
}

func (d *demo) left(ctx context.Context) ([]string, error) {
	left, err := find(ctx, d.fleet.Hub(), hubRemains)
	if err != nil {
		return nil, err
	}
	for _, spoke := range d.fleet.Spokes() {
		some, err := find(ctx, spoke, spokeRemains)
		if err != nil {
			return nil, err
		}
		left = append(left, some...)
	}
	return left, nil
}

func find(ctx context.Context, cluster fleet.Cluster, remains []remain) ([]string, error) {
	reader, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, r := range remains {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(r.kind)
		var options []client.ListOption
		if r.label != "" {
			options = append(options, client.HasLabels{r.label})
		}
		if err := reader.List(ctx, list, options...); err != nil {
			return nil, fmt.Errorf("listing %s on %s: %w", r.kind.Kind, cluster.Name, err)
		}
		for i := range list.Items {
			found = append(found, fmt.Sprintf("%s %s on %s", r.kind.Kind, list.Items[i].Name, cluster.Name))
		}
	}
	return found, nil
}
