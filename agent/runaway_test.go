package agent_test

import (
	"strings"
	"testing"
	"time"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// runaways are definitions that take everything they can get.
var runaways = map[string]struct {
	def       definition.Definition
	condition string
	message   string
}{
	"endless": {inline("endless", `
import "list"
let many = list.Range(0, 2000, 1)
outputs: [for a in many for b in many for c in many if a+b+c < 0 {name: "a", value: {apiVersion: "v1", kind: "ConfigMap"}}]`),
		condition.Rendered, "The evaluation of definition endless did not end within 2s and was ended"},
	"hungry": {inline("hungry", `
import "strings"
outputs: [{name: "a", value: {apiVersion: "v1", kind: "ConfigMap", data: all: strings.Repeat("0123456789", 1073741824)}}]`),
		condition.Rendered, "The evaluation of definition hungry needed more than 256Mi of memory and was ended"},
	"ill": {inline("ill", `
import "list"
outputs: [{name: "a", value: {apiVersion: "v1", kind: "ConfigMap", data: x: "-1"}, statusPaths: [{name: "x", path: ".data.x"}]}]
let many = list.Range(0, 2000, 1)
isHealthy: [if context.status.a.x != _|_ {len([for a in many for b in many for c in many if a+b+c < 0 {a}]) == 0}, false][0]`),
		condition.Healthy, "The evaluation of definition ill did not end within 2s and was ended"},
}

// A definition that never ends, or takes all memory, is ended and named, and other Components go on meanwhile as if it were
// not there.
func TestRunawayDefinitions(t *testing.T) {
	s := newSpokeWith(t, agent.Options{Evaluation: evaluate.Options{Size: 2, Deadline: 2 * time.Second, SlowAfter: 200 * time.Millisecond, Memory: 256 << 20}})
	for name, runaway := range runaways {
		for _, suffix := range []string{"-a", "-b"} {
			s.create(s.component(name+suffix, "r1", runaway.def, `{}`))
		}
	}
	s.create(s.component("quiet", "r1", configDefinition(), `{"names":["one"]}`))
	s.awaitHealth("quiet", "r1", true)
	for name, runaway := range runaways {
		s.eventually(name+" is ended", func() string {
			component := s.get(name + "-a")
			for _, one := range component.Status.Conditions {
				if one.Type == runaway.condition && one.Reason == condition.ReasonEvaluationExceeded && strings.Contains(one.Message, runaway.message) {
					return ""
				}
			}
			return pretty(component.Status)
		})
	}
	s.dispatch("quiet", "r2", `{"names":["two"]}`)
	s.awaitHealth("quiet", "r2", true)
}
