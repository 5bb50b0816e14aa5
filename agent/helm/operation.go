package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"helm.sh/helm/v3/pkg/storage/driver"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// StepLabel is on the record of a revision, and holds the identity of the step that made it.
const StepLabel = "workflow.wheelwright.dev/step"

const (
	// grace is how long Helm may take to notice that it was ended. It cannot reach the cluster any more by then.
	grace = 5 * time.Second
	// cleanupLimit bounds what is done about a release after its operation was ended.
	cleanupLimit = 10 * time.Second
)

// operation is one run of one action.
type operation struct {
	ctx        context.Context
	helm       *Helm
	request    workflow.Request
	parameters *parameters
	config     *action.Configuration
}

func (h *Helm) begin(ctx context.Context, request workflow.Request, parameters *parameters) (*operation, error) {
	config, err := configuration(ctx, request.Config, request.Identity.Component.Namespace)
	if err != nil {
		return nil, err
	}
	return &operation{ctx: ctx, helm: h, request: request, parameters: parameters, config: config}, nil
}

// run does it. Helm knows no contexts, so it runs beside this; once the context has ended it has no way to the cluster.
func (o *operation) run(do func(*operation) (map[string]any, error)) (map[string]any, error) {
	type result struct {
		returns map[string]any
		err     error
	}
	results := make(chan result, 1)
	go func() {
		returns, err := guarded(o, do)
		results <- result{returns, err}
	}()
	select {
	case done := <-results:
		if o.ctx.Err() == nil || done.err == nil {
			return done.returns, done.err
		}
	case <-o.ctx.Done():
		select {
		case done := <-results:
			if done.err == nil {
				return done.returns, nil
			}
		case <-time.After(grace):
		}
	}
	err := fmt.Errorf("it was ended before it was done: %w", context.Cause(o.ctx))
	return nil, errors.Join(err, o.letGo())
}

func guarded(o *operation, do func(*operation) (map[string]any, error)) (returns map[string]any, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("Helm broke down: %v", failure)
		}
	}()
	return do(o)
}

// letGo ends a revision that the operation left pending: to Helm that is a lock, and it would be kept for ever.
func (o *operation) letGo() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.ctx), cleanupLimit)
	defer cancel()
	config, err := configuration(ctx, o.request.Config, o.request.Identity.Component.Namespace)
	if err != nil {
		return err
	}
	again := &operation{ctx: ctx, helm: o.helm, request: o.request, parameters: o.parameters, config: config}
	history, err := again.history()
	if err != nil || len(history) == 0 {
		return err
	}
	last := history[len(history)-1]
	if !last.Info.Status.IsPending() || !again.ours(last) {
		return nil
	}
	return again.fail(last)
}

// history are the records of the release, oldest first.
func (o *operation) history() ([]*release.Release, error) {
	history, err := o.config.Releases.History(o.parameters.Release)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the records of release %s: %w", o.name(), err)
	}
	releaseutil.SortByRevision(history)
	return history, nil
}

// fail ends a revision that nobody works on any more, as Helm itself does with one that went wrong.
func (o *operation) fail(record *release.Release) error {
	record.SetStatus(release.StatusFailed, "It was interrupted.")
	if err := o.config.Releases.Update(record); err != nil {
		return fmt.Errorf("recording that revision %d of release %s was interrupted: %w", record.Version, o.name(), err)
	}
	return nil
}

// mine says whether this very step made the revision.
func (o *operation) mine(record *release.Release) bool {
	return o.ours(record) && record.Labels[StepLabel] == o.request.Identity.Hash()
}

// ours says whether the Component made the revision.
func (o *operation) ours(record *release.Release) bool {
	return record.Labels[corev1alpha1.ComponentUIDLabel] == string(o.request.Identity.Component.UID)
}

func (o *operation) labels() map[string]string {
	component := o.request.Identity.Component
	return map[string]string{
		corev1alpha1.ComponentUIDLabel: string(component.UID),
		// For people. A name may be longer than a label's value; it is the UID that counts.
		corev1alpha1.ComponentNameLabel: strings.TrimRight(component.Name[:min(len(component.Name), 63)], "-."),
		StepLabel:                       o.request.Identity.Hash(),
	}
}

// checkOwner refuses a release that is not the Component's.
func (o *operation) checkOwner(record *release.Release) error {
	if o.ours(record) || o.parameters.TakeOver {
		return nil
	}
	owner := "was not made by Wheelwright"
	if uid := record.Labels[corev1alpha1.ComponentUIDLabel]; uid != "" {
		owner = fmt.Sprintf("belongs to Component %s (uid %s)", record.Labels[corev1alpha1.ComponentNameLabel], uid)
	}
	return refused("release %s %s: uninstall it, choose another release name, or set takeOver: true", o.name(), owner)
}

func (o *operation) name() string {
	return o.request.Identity.Component.Namespace + "/" + o.parameters.Release
}
