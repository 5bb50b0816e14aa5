// Package invariant checks what holds of every status that is ever written, whatever happened before.
package invariant

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// stages are the conditions that a Component passes, in their order.
var stages = []string{condition.Verified, condition.Rendered, condition.Workflow, condition.Applied, condition.Healthy}

// OfComponent gives what is broken in one status, each in a sentence. revision is what spec.revision was at a generation, or nil
// where that is not known.
func OfComponent(component *corev1alpha1.Component, revision func(generation int64) string) []string {
	if component.Status.Conditions == nil {
		return nil // no agent has seen it
	}
	check := &check{component: component, deleting: component.DeletionTimestamp != nil}
	check.stages()
	check.pace()
	check.health()
	check.conditions()
	if revision != nil {
		for _, entry := range component.Status.Health {
			wanted := revision(component.Status.ObservedGeneration)
			check.demand(entry.Revision == wanted, "status.health is of revision %s, but generation %d has revision %s",
				entry.Revision, component.Status.ObservedGeneration, wanted)
		}
	}
	return check.broken
}

type check struct {
	component *corev1alpha1.Component
	deleting  bool
	broken    []string
}

func (c *check) demand(holds bool, format string, args ...any) {
	if !holds {
		c.broken = append(c.broken, fmt.Sprintf(format, args...))
	}
}

func (c *check) is(typ string) bool {
	return meta.IsStatusConditionTrue(c.component.Status.Conditions, typ)
}

// stages: nothing is True behind what is not, but that what was dispatched by a workflow stays Applied while later steps run.
func (c *check) stages() {
	for i, stage := range stages {
		one := meta.FindStatusCondition(c.component.Status.Conditions, stage)
		if one == nil {
			c.demand(c.deleting || stage == condition.Workflow, "condition %s is missing", stage)
			continue
		}
		c.demand(!c.is(condition.Ready) || one.Status == metav1.ConditionTrue, "Ready is True and %s is not", stage)
		if c.deleting || stage != condition.Healthy && stage != condition.Applied || one.Status != metav1.ConditionTrue {
			continue
		}
		for _, before := range stages[:i] {
			excepted := before == condition.Workflow
			c.demand(excepted || c.is(before), "%s is True and %s is not", stage, before)
		}
	}
}

// pace: a Component is Ready, or it progresses, or it is stalled.
func (c *check) pace() {
	is := 0
	for _, typ := range []string{condition.Ready, condition.Progressing, condition.Stalled} {
		if c.is(typ) {
			is++
		}
	}
	c.demand(is == 1, "%d of Ready, Progressing and Stalled are True", is)
}

func (c *check) health() {
	status := c.component.Status
	healthy := len(status.Health) == 1 && status.Health[0].IsHealthy
	c.demand(len(status.Health) <= 1, "status.health has more than one entry")
	c.demand(!healthy || c.is(condition.Healthy), "status.health is true and Healthy is not True")
	c.demand(len(status.Health) == 0 || status.IsHealthy != nil && *status.IsHealthy == healthy, "status.isHealthy is not what status.health says")
	c.demand(status.IsHealthy == nil || *status.IsHealthy == c.is(condition.Healthy), "status.isHealthy is not what condition Healthy says")
	c.demand(status.Exports == nil || c.is(condition.Healthy), "exports are kept without health")
	c.demand(!c.is(condition.Healthy) || c.is(condition.Applied), "Healthy is True and Applied is not")
}

func (c *check) conditions() {
	status := c.component.Status
	seen := map[string]bool{}
	for _, one := range status.Conditions {
		c.demand(!seen[one.Type], "condition %s is there twice", one.Type)
		seen[one.Type] = true
		c.demand(one.ObservedGeneration == status.ObservedGeneration || c.deleting,
			"condition %s is of generation %d, the status of %d", one.Type, one.ObservedGeneration, status.ObservedGeneration)
		c.demand(one.Reason != "" && one.Message != "", "condition %s has no reason or message", one.Type)
		c.demand(one.Status != metav1.ConditionUnknown || status.IsHealthy == nil, "condition %s is Unknown beside a judgement", one.Type)
	}
}
