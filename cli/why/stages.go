package why

import (
	"fmt"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/shared/condition"
)

// waiting: another Component has to come first.
func (s *subject) waiting() *finding {
	if !waits(s.Component) {
		return nil
	}
	for _, key := range needs(s.Component) {
		other, read := s.Others[key]
		switch {
		case key == s.key():
			return s.circle([]client.ObjectKey{key})
		case s.isAbove(key):
			return s.through(s.ofPath(key), "waits for")
		case read && other == nil:
			return &finding{
				reason:  condition.ReasonWaitingForDependency,
				because: fmt.Sprintf("waits for Component %s, which is not on this cluster", key),
				next:    fmt.Sprintf("create Component %s, or take it out of what needs it: %s", key, s.edit()),
			}
		case read && other.Health != live.Current:
			return s.through(other, "waits for")
		}
	}
	return nil
}

// notRendered: the definition cannot be evaluated with what it is given.
func (s *subject) notRendered() *finding {
	said := s.condition(condition.Rendered)
	if said.Status != metav1.ConditionFalse {
		return nil
	}
	found := &finding{reason: said.Reason, because: "is not rendered: " + detail(said.Message)}
	switch said.Reason {
	case condition.ReasonDefinitionNotFound:
		found.next = fmt.Sprintf("wheel def apply DIR, where the folder has what is missing; or another type: %s", s.edit())
	case condition.ReasonInvalidProperties:
		found.next = fmt.Sprintf("%s; wheel schema %s --definitions DIR shows what it takes", s.edit(), s.Component.Spec.Type)
	case condition.ReasonUnresolved:
		found.next = "create what the properties take values from, or " + s.edit()
	case condition.ReasonEvaluationExceeded:
		found.next = "make the definition do less; wheel render shows it without a cluster; it is tried again by itself"
	default:
		found.next = s.editDefinition(said.Message)
	}
	return found
}

// workflowPrefix is how the agent begins what it says of workflows; the sentence here names the workflow already.
var workflowPrefix = regexp.MustCompile(`^(In|Of) the workflow of the \w+ event[,:] `)

// workflowStopped: the workflow of the event has not come to its end.
func (s *subject) workflowStopped() *finding {
	said := s.condition(condition.Workflow)
	if said.Reason == "" || said.Status == metav1.ConditionTrue {
		return nil
	}
	text := workflowPrefix.ReplaceAllString(detail(said.Message), "")
	found := &finding{reason: said.Reason, because: "is not through with its workflow: " + text}
	switch said.Reason {
	case condition.ReasonWorkflowSuspended:
		found.because = "is held by its workflow: " + text
		found.next = s.wheel("workflow resume")
	case condition.ReasonWorkflowFailed:
		found.because = "has a workflow that failed: " + text
		found.next = fmt.Sprintf("%s shows what its steps wrote; when that is mended, %s", s.wheel("workflow logs"), s.wheel("workflow restart"))
	case condition.ReasonWorkflowTerminated:
		found.because = "has a workflow that was ended: " + text
		found.next = s.wheel("workflow restart")
	default:
		found.next = s.wheel("workflow logs")
		return s.withCulprit(found)
	}
	return found
}

// notApplied: the cluster does not take what was rendered.
func (s *subject) notApplied() *finding {
	said := s.condition(condition.Applied)
	if said.Status == metav1.ConditionTrue || said.Reason == "" {
		return nil
	}
	found := &finding{reason: said.Reason, because: "is not applied: " + detail(said.Message)}
	switch {
	case said.Reason == condition.ReasonWaitingForOutput:
		found.because = "is applied in part: " + detail(said.Message)
		found.next = s.wheel("tree")
		return s.withCulprit(found)
	case strings.Contains(said.Message, "forbidden"):
		found.next = s.grant()
	case said.Reason == condition.ReasonOwnedByAnother, said.Reason == condition.ReasonApplyFailed:
		found.next = s.edit()
	default:
		found.next = s.wheel("events")
	}
	return found
}

// unhealthy: the objects are there, and are not as they should be.
func (s *subject) unhealthy() *finding {
	said := s.condition(condition.Healthy)
	if said.Status == metav1.ConditionTrue || said.Reason == "" {
		return nil
	}
	found := &finding{reason: said.Reason, because: "is not healthy: " + detail(said.Message), next: s.wheel("tree")}
	if said.Reason == condition.ReasonHealthCheckFailed {
		found.next = s.editDefinition(said.Message)
		return found
	}
	return s.withCulprit(found)
}
