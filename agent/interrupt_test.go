package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

var errCut = errors.New("the agent was cut off")

// cutAfter cuts the agent off from the cluster after so many writes, as when its process ends: the last one is made, and its
// answer is lost.
func (c *callLog) cutAfter(writes int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.left, c.cut = writes, true
}

// countDown takes note of a write, and tells whether its answer is lost.
func (c *callLog) countDown() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.cut {
		return false
	}
	c.left--
	return c.left <= 0
}

func (c *callLog) isCut() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.cut && c.left <= 0
}

// restore lets the agent reach the cluster again.
func (c *callLog) restore() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.cut = false
}

// eventuallyThroughCuts is eventually with an agent that ends after each so many writes. It counts how often that was.
func (s *spoke) eventuallyThroughCuts(writes int, what string, missing func() string) int {
	s.t.Helper()
	cuts := 0
	s.eventually(what, func() string {
		if s.calls.isCut() {
			cuts++
			s.stop()
			s.calls.cutAfter(writes)
			s.startAgent()
		}
		return missing()
	})
	return cuts
}

// An agent that never lives longer than a few writes, and loses the answer to its last one, comes to the end of a Component's
// life all the same, and each step has its effect once.
func TestAnAgentThatEndsAnywhereLosesNothing(t *testing.T) {
	s := newSpoke(t)
	def := flow(strings.Join([]string{
		job("first", `context.parameters.text`), `{type: "set-workflow-state", properties: job: context.steps.first.job}`, `{type: "dispatch"}`,
	}, ", "), `{type: "dispatch-delete"}, `+job("undone", `"d"`))
	for writes := 1; writes <= 4; writes++ {
		name := fmt.Sprintf("life-%d", writes)
		s.calls.cutAfter(writes)
		s.create(s.component(name, "r1", def, `{"text":"a"}`))
		cuts := s.eventuallyThroughCuts(writes, name+" is healthy", func() string {
			if health := s.get(name).Status.Health; len(health) == 1 && health[0].IsHealthy {
				return ""
			}
			return pretty(s.get(name).Status)
		})
		s.must(s.client.Delete(t.Context(), s.get(name)))
		cuts += s.eventuallyThroughCuts(writes, name+" is gone", func() string {
			component := &corev1alpha1.Component{}
			err := s.client.Get(context.Background(), client.ObjectKey{Namespace: s.ns, Name: name}, component)
			s.must(client.IgnoreNotFound(err))
			if err != nil {
				return ""
			}
			return pretty(component.Status)
		})
		if want := 10 / writes; cuts < want {
			t.Errorf("the agent ended %d times after %d writes each, want at least %d times", cuts, writes, want)
		}
		made := map[string]int{}
		for step, jobs := range s.jobs() {
			for _, one := range jobs {
				if one.Labels[corev1alpha1.ComponentNameLabel] == name {
					made[step]++
				}
			}
		}
		if made["first"] != 1 || made["undone"] != 1 {
			t.Errorf("%d writes each: Jobs by step are %v, want one of each", writes, made)
		}
	}
	s.restartAgent()
}
