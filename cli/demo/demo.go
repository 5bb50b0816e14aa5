// Package demo shows Wheelwright at work on a running fleet: an Application delivered, changed and deleted. It fails when
// anything is not as it says.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/readings"
	"wheelwright.dev/wheelwright/cli/terminal"
	"wheelwright.dev/wheelwright/examples"
	"wheelwright.dev/wheelwright/fleet"
	"wheelwright.dev/wheelwright/fleet/apply"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// patience bounds each wait, so that a demonstration which hangs says where.
const patience = 2 * time.Minute

// application of the quickstart.
var application = types.NamespacedName{Namespace: "shop", Name: "shop"}

type demo struct {
	steps     *terminal.Steps
	fleet     fleet.Fleet
	hubClient client.WithWatch
	scheme    *runtime.Scheme
}

// Run tells the story on a fleet that is up.
func Run(ctx context.Context, f fleet.Fleet, steps *terminal.Steps) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, appsv1.AddToScheme, corev1alpha1.AddToScheme, workv1.Install,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	hubClient, err := client.NewWithWatch(f.Hub().Config, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	d := &demo{steps: steps, fleet: f, hubClient: hubClient, scheme: scheme}
	for _, act := range []func(context.Context) error{d.deliver, d.change, d.delete} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

// deliver applies the quickstart and waits until the hub reads every component healthy on every cluster.
func (d *demo) deliver(ctx context.Context) error {
	d.steps.Printf("\nApplying examples/quickstart to the hub: a definition, and an application of it for both clusters.\n")
	for _, file := range []string{"definition.yaml", "application.yaml"} {
		objects, err := quickstart(file)
		if err != nil {
			return err
		}
		if err := apply.Objects(ctx, d.fleet.Hub().Config, objects); err != nil {
			return err
		}
	}
	app, err := d.awaitReady(ctx, "delivering application shop", nil)
	if err != nil {
		return err
	}
	return d.printTable(ctx, app)
}

func quickstart(file string) ([]*unstructured.Unstructured, error) {
	content, err := examples.Quickstart.ReadFile("quickstart/" + file)
	if err != nil {
		return nil, err
	}
	return apply.Decode(bytes.NewReader(content))
}

func (d *demo) printTable(ctx context.Context, app *corev1alpha1.Application) error {
	rows, err := readings.List(ctx, d.hubClient, app)
	if err != nil {
		return err
	}
	var table bytes.Buffer
	if err := readings.Print(&table, rows, time.Now()); err != nil {
		return err
	}
	d.steps.Printf("\n%s", table.String())
	return nil
}
