package application

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// parallelClusters bounds how many clusters one Application is written to at a time. Within a cluster the order of
// dependencies rules.
const parallelClusters = 16

// pair is one component on one cluster and how it stands there.
type pair struct {
	component, cluster string
	reading            dispatch.Reading
}

// plan is what an accepted Application wants on each of its clusters.
type plan struct {
	app      *corev1alpha1.Application
	levels   [][]string
	contents map[string]*dispatch.Content
	clusters []string
}

func (p plan) delivery(component, cluster string) dispatch.Delivery {
	return dispatch.Delivery{Cluster: cluster, Owner: ownerOf(p.app), Content: p.contents[component]}
}

func (p plan) dependencies(component string) []string {
	for _, c := range p.app.Spec.Components {
		if c.Name == component {
			names := make([]string, 0, len(c.DependsOn))
			for _, dependency := range c.DependsOn {
				names = append(names, dependency.Name)
			}
			return names
		}
	}
	return nil
}

// roll brings the plan to all clusters as far as dependencies allow, and returns how each pair stands. A cluster that
// cannot be written does not hold up the others.
func (r *Reconciler) roll(ctx context.Context, p plan) ([]pair, error) {
	perCluster := make([][]pair, len(p.clusters))
	failures := make([]error, len(p.clusters))
	var group errgroup.Group
	group.SetLimit(parallelClusters)
	for i, cluster := range p.clusters {
		group.Go(func() error {
			perCluster[i], failures[i] = r.rollCluster(ctx, p, cluster)
			return nil
		})
	}
	_ = group.Wait() // the functions report through failures
	var pairs []pair
	for _, some := range perCluster {
		pairs = append(pairs, some...)
	}
	return pairs, errors.Join(failures...)
}

func (r *Reconciler) rollCluster(ctx context.Context, p plan, cluster string) ([]pair, error) {
	var failures []error
	if err := r.dispatcher.EnsureNamespace(ctx, cluster, p.app.Namespace); err != nil && !errors.Is(err, dispatch.ErrTerminating) {
		failures = append(failures, err)
	}
	var pairs []pair
	states := map[string]dispatch.State{}
	for _, level := range p.levels {
		for _, component := range level {
			reading, err := r.rollComponent(ctx, p, component, cluster, states)
			if err != nil {
				failures = append(failures, err)
				reading = waiting(reading, condition.ReasonDispatchFailed, err.Error())
			}
			states[component] = reading.State
			pairs = append(pairs, pair{component, cluster, reading})
		}
	}
	return pairs, errors.Join(failures...)
}

// rollComponent delivers a component unless its cluster has it already. A component is written only when all that it
// depends on is healthy at its current revision; one that is already there stays when an upstream degrades.
func (r *Reconciler) rollComponent(ctx context.Context, p plan, component, cluster string, upstream map[string]dispatch.State) (dispatch.Reading, error) {
	delivery := p.delivery(component, cluster)
	reading, err := r.dispatcher.Read(ctx, delivery)
	if err != nil || (reading.Reason != dispatch.ReasonNotDispatched && reading.Reason != dispatch.ReasonClaimed) {
		return reading, err
	}
	for _, dependency := range p.dependencies(component) {
		open, err := r.isOpen(ctx, p.delivery(dependency, cluster), upstream[dependency])
		if err != nil {
			return reading, err
		}
		if !open {
			return waiting(reading, condition.ReasonWaitingForDependency,
				fmt.Sprintf("waits for %s to be healthy at its current revision on this cluster", dependency)), nil
		}
	}
	return r.deliver(ctx, delivery, reading)
}

// isOpen decides a gate from the hub's API itself, but asks it only when the cache says that it may open.
func (r *Reconciler) isOpen(ctx context.Context, upstream dispatch.Delivery, cached dispatch.State) (bool, error) {
	if cached != dispatch.Healthy {
		return false, nil
	}
	live, err := r.dispatcher.ReadLive(ctx, upstream)
	return live.State == dispatch.Healthy, err
}

func (r *Reconciler) deliver(ctx context.Context, delivery dispatch.Delivery, before dispatch.Reading) (dispatch.Reading, error) {
	err := r.dispatcher.Deliver(ctx, delivery)
	var taken *dispatch.ClaimedError
	switch {
	case errors.As(err, &taken):
		return waiting(dispatch.Reading{}, condition.ReasonClaimed, taken.Error()), nil
	case errors.Is(err, dispatch.ErrTerminating):
		return waiting(before, dispatch.ReasonTerminating, err.Error()), nil
	case err != nil:
		return before, err
	}
	return waiting(dispatch.Reading{}, dispatch.ReasonNotApplied, "dispatched just now"), nil
}

func waiting(reading dispatch.Reading, reason, message string) dispatch.Reading {
	return dispatch.Reading{State: dispatch.Unknown, Reason: reason, Message: message, Revision: reading.Revision}
}
