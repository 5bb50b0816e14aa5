package demo

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// follow watches the application until the condition holds. A condition that fails ends it.
func (d *demo) follow(ctx context.Context, holds func(watch.EventType, *corev1alpha1.Application) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	options := func(o metav1.ListOptions) *client.ListOptions {
		return &client.ListOptions{
			Namespace: application.Namespace, FieldSelector: fields.OneTermEqualSelector("metadata.name", application.Name), Raw: &o,
		}
	}
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list := &corev1alpha1.ApplicationList{}
			return list, d.hubClient.List(ctx, list, options(o))
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return d.hubClient.Watch(ctx, &corev1alpha1.ApplicationList{}, options(o))
		},
	}
	gone := func(store cache.Store) (bool, error) {
		if len(store.List()) > 0 {
			return false, nil
		}
		return holds(watch.Deleted, nil)
	}
	_, err := watchtools.UntilWithSync(ctx, source, &corev1alpha1.Application{}, gone, func(event watch.Event) (bool, error) {
		app, ok := event.Object.(*corev1alpha1.Application)
		if !ok {
			return false, fmt.Errorf("watching application shop: unexpected %T", event.Object)
		}
		return holds(event.Type, app)
	})
	return err
}

// awaitReady follows the application until the hub calls its current generation ready. Each look at it is passed on.
func (d *demo) awaitReady(ctx context.Context, what string, look func(*corev1alpha1.Application) error) (*corev1alpha1.Application, error) {
	news, done := d.steps.Follow(what)
	var last *corev1alpha1.Application
	err := d.follow(ctx, func(event watch.EventType, app *corev1alpha1.Application) (bool, error) {
		if event == watch.Deleted {
			return false, errors.New("application shop has been deleted by somebody else")
		}
		last = app
		news(summary(app))
		if look != nil {
			if err := look(app); err != nil {
				return false, err
			}
		}
		return ready(app), nil
	})
	if err != nil {
		err = fmt.Errorf("application shop did not become ready: %w; the hub says: %s", err, summary(last))
	}
	done(err)
	return last, err
}

func ready(app *corev1alpha1.Application) bool {
	c := meta.FindStatusCondition(app.Status.Conditions, condition.Ready)
	counts := app.Status.Counts
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == app.Generation && counts.Healthy == counts.Desired
}

func summary(app *corev1alpha1.Application) string {
	if app == nil {
		return "nothing yet"
	}
	c := meta.FindStatusCondition(app.Status.Conditions, condition.Ready)
	if c == nil || c.ObservedGeneration != app.Generation {
		return "generation not seen yet"
	}
	return c.Message
}
