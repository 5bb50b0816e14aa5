package why

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// patience is how long the agent may take to look at what has changed before that is worth a remark.
const patience = 30 * time.Second

// unanswered: the agent has not looked at what is wanted now, so that all it said is about something else.
func (s *subject) unanswered() *finding {
	component := s.Component
	released := component.DeletionTimestamp != nil && !slices.Contains(component.Finalizers, corev1alpha1.ComponentFinalizer)
	if released || component.Status.ObservedGeneration >= component.Generation {
		return nil
	}
	waited := max(s.Now.Sub(lastWrite(component)), 0)
	since := duration.HumanDuration(waited)
	if waited < patience {
		return &finding{
			reason:  condition.ReasonProgressing,
			because: fmt.Sprintf("was changed %s ago, and the agent has not answered yet", since),
			next:    "look again in a few seconds: " + s.wheel("why"),
		}
	}
	because := fmt.Sprintf("is at generation %d since %s, and the agent has seen %d", component.Generation, since, component.Status.ObservedGeneration)
	if component.Status.ObservedGeneration == 0 {
		because = fmt.Sprintf("is there since %s, and the agent has never looked at it", since)
	}
	return s.agentSilent(because)
}

// agentSilent says what to look at when the agent does not do its part.
func (s *subject) agentSilent(because string) *finding {
	found := &finding{reason: "AgentSilent", because: because}
	switch s.Agent {
	case AgentDown:
		found.because += fmt.Sprintf("; no pod of Deployment %s is available", agentKey)
		found.next = s.kubectl(agentKey.Namespace, "describe deployment,pods")
	case AgentRuns:
		found.next = s.kubectl(agentKey.Namespace, "logs deployment/%s", agentKey.Name)
	default:
		found.next = fmt.Sprintf("see whether the agent runs: %s", s.kubectl(agentKey.Namespace, "get deployment %s", agentKey.Name))
	}
	return found
}

// deleting: what is still there, and who holds it.
func (s *subject) deleting() *finding {
	component := s.Component
	if component.DeletionTimestamp == nil {
		return nil
	}
	if said := s.condition(condition.Workflow); strings.HasPrefix(said.Message, "In the workflow of the delete event") && said.Status != metav1.ConditionTrue {
		if found := s.workflowStopped(); found != nil {
			found.because = "is being deleted; it " + found.because
			if said.Reason == condition.ReasonWorkflowFailed {
				found.next += fmt.Sprintf(", or %s to delete without it", s.wheel("workflow terminate"))
			}
			return found
		}
	}
	var left []*live.Node
	for _, below := range s.Below {
		if below.Present() && below.Step == "" {
			left = append(left, below)
		}
	}
	if len(left) > 0 {
		return s.stillThere(left)
	}
	others := slices.DeleteFunc(slices.Clone(component.Finalizers), func(name string) bool { return name == corev1alpha1.ComponentFinalizer })
	if len(others) > 0 {
		return &finding{
			reason:  condition.ReasonDeleting,
			because: "is being deleted, and is held by what is not the agent's: the finalizer " + detail(strings.Join(others, ", ")),
			next:    "see to it that the controller that set the finalizer runs; it takes it away when it is done",
		}
	}
	return &finding{
		reason:  condition.ReasonDeleting,
		because: "is being deleted: " + detail(s.condition(condition.Ready).Message),
		next:    "look again in a few seconds: " + s.wheel("why"),
	}
}

// stillThere is about what a Component that is being deleted waits for. What somebody else holds comes first.
func (s *subject) stillThere(left []*live.Node) *finding {
	first := left[0]
	if held := slices.IndexFunc(left, func(node *live.Node) bool { return len(node.Held) > 0 }); held >= 0 {
		first = left[held]
	}
	if first.Component != nil {
		return s.through(first, "is being deleted, and waits for")
	}
	found := &finding{
		reason:  condition.ReasonDeleting,
		because: fmt.Sprintf("is being deleted, and waits for %s to be gone", first.Title()),
		next:    s.describe(first),
	}
	if len(first.Held) > 0 {
		found.because += ", which the finalizer " + terminal.Clean(strings.Join(first.Held, ", ")) + " holds"
		found.next = "see to it that the controller that set the finalizer runs: " + found.next
	}
	if more := len(left) - 1; more > 0 {
		found.because += fmt.Sprintf("; %d more objects are still there", more)
	}
	return found
}

// healthy: all is well, unless it only was so when somebody last looked.
func (s *subject) healthy() *finding {
	if s.condition(condition.Ready).Status != metav1.ConditionTrue {
		return nil
	}
	if s.Agent == AgentDown {
		return s.agentSilent("was healthy when the agent last looked, and the agent does not run")
	}
	for _, below := range s.Below {
		if below.Health == live.Missing {
			found := s.agentSilent(fmt.Sprintf("counts as healthy, and %s is missing, which the agent puts back at once", below.Title()))
			found.reason = string(live.Missing)
			return found
		}
	}
	return &finding{healthy: true, reason: condition.ReasonReady, because: "is healthy: nothing to do"}
}

// unready is what is left to say: the Component's own words.
func (s *subject) unready() *finding {
	ready := s.condition(condition.Ready)
	if ready.Message == "" {
		return s.agentSilent("has no condition that says how it is")
	}
	found := &finding{reason: ready.Reason, because: "is not ready: " + detail(ready.Message), next: s.wheel("tree")}
	switch ready.Reason {
	case condition.ReasonExportsFailed, condition.ReasonTraitFailed:
		found.next = s.editDefinition(ready.Message)
	}
	return found
}
