package demo

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/readings"
	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

const (
	changed  = "frontend"
	greeting = "welcome"
)

// change edits one parameter and shows how the hub's reading goes by way of Unknown to Healthy at the new revision, and
// never stays Healthy on the word of the old one.
func (d *demo) change(ctx context.Context) error {
	d.steps.Printf("\nChanging one parameter: greeting of the %s, from hello to %s.\n", changed, greeting)
	before, err := d.revisions(ctx)
	if err != nil {
		return err
	}
	if err := d.edit(ctx); err != nil {
		return err
	}
	began, trail := time.Now(), newTrail()
	app, err := d.awaitReady(ctx, "delivering the change", func(app *corev1alpha1.Application) error {
		rows, err := readings.List(ctx, d.hubClient, app)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Component == changed && app.Status.ObservedGeneration == app.Generation &&
				row.State == string(dispatch.Healthy) && row.Revision == before[row.Cluster] {
				return fmt.Errorf("%s on %s was read healthy at the old revision %s", changed, row.Cluster, row.Revision)
			}
			trail.note(row, time.Since(began))
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.steps.Printf("\n%s", trail.String())
	if err := d.checkArrival(ctx); err != nil {
		return err
	}
	return d.printTable(ctx, app)
}

// edit patches the greeting.
func (d *demo) edit(ctx context.Context) error {
	app := &corev1alpha1.Application{}
	if err := d.hubClient.Get(ctx, application, app); err != nil {
		return fmt.Errorf("reading application shop: %w", err)
	}
	before := app.DeepCopy()
	for i := range app.Spec.Components {
		if app.Spec.Components[i].Name == changed {
			app.Spec.Components[i].Properties.Raw = []byte(fmt.Sprintf(
				`{"image":"registry.example/shop/frontend:1.0","replicas":2,"config":{"greeting":%q}}`, greeting))
		}
	}
	if err := d.hubClient.Patch(ctx, app, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("changing application shop: %w", err)
	}
	return nil
}

func (d *demo) revisions(ctx context.Context) (map[string]string, error) {
	app := &corev1alpha1.Application{}
	if err := d.hubClient.Get(ctx, application, app); err != nil {
		return nil, fmt.Errorf("reading application shop: %w", err)
	}
	rows, err := readings.List(ctx, d.hubClient, app)
	if err != nil {
		return nil, err
	}
	revisions := map[string]string{}
	for _, row := range rows {
		if row.Component == changed {
			revisions[row.Cluster] = row.Revision
		}
	}
	return revisions, nil
}

// checkArrival looks at the spokes themselves.
func (d *demo) checkArrival(ctx context.Context) error {
	for _, spoke := range d.fleet.Spokes() {
		spokeClient, err := client.New(spoke.Config, client.Options{Scheme: d.scheme})
		if err != nil {
			return fmt.Errorf("cannot reach %s: %w", spoke.Name, err)
		}
		config := &corev1.ConfigMap{}
		key := types.NamespacedName{Namespace: application.Namespace, Name: application.Name + "-" + changed + "-config"}
		if err := spokeClient.Get(ctx, key, config); err != nil {
			return fmt.Errorf("reading ConfigMap %s on %s: %w", key, spoke.Name, err)
		}
		if config.Data["greeting"] != greeting {
			return fmt.Errorf("the hub reads %s healthy, but ConfigMap %s on %s says %q", changed, key, spoke.Name, config.Data["greeting"])
		}
		d.steps.Printf("  ✓ ConfigMap %s on %s says greeting: %s\n", key, spoke.Name, config.Data["greeting"])
	}
	return nil
}
