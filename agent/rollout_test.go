package agent_test

import (
	"testing"

	"k8s.io/utils/ptr"

	"wheelwright.dev/wheelwright/shared/condition"
)

// frozen renders a Deployment whose pods can be kept from being scheduled, under the condition that users write most.
const frozen = `
parameters: {
	image: string
	freeze: *false | bool
}
outputs: [{
	name: "workload"
	value: {
		apiVersion: "apps/v1", kind: "Deployment", metadata: name: context.name
		spec: {
			replicas: 2
			selector: matchLabels: app: context.name
			template: {
				metadata: labels: app: context.name
				spec: {
					containers: [{name: "main", image: parameters.image}]
					if parameters.freeze {nodeSelector: "no-node": "has-this"}
				}
			}
		}
	}
	statusPaths: [{name: "ready", path: ".status.readyReplicas"}]
}]
isHealthy: context.status.workload.ready == 2
`

// The old pods are ready all through a rollout, and so is what the definition's expression reads.
func TestNewRevisionIsNotHealthyBeforeItsRolloutIsDone(t *testing.T) {
	s := newSpoke(t)
	component := s.component("web", "r1", inline("frozen", frozen), `{"image":"app:1"}`)
	component.Spec.ProgressDeadlineSeconds = ptr.To[int32](5)
	s.create(component)
	s.awaitHealth("web", "r1", true)

	s.dispatch("web", "r2", `{"image":"app:2","freeze":true}`)
	s.awaitHealth("web", "r2", false)
	s.awaitReason("web", condition.Healthy, condition.ReasonRollingOut)
	// The deployment controller has done what it can: a new pod is pending and the old ones are ready.
	s.eventually("the rollout is stuck", func() string {
		status := s.object("apps/v1", "Deployment", "web").Object["status"].(map[string]any)
		if status["updatedReplicas"] == int64(1) && status["readyReplicas"] == int64(2) && status["unavailableReplicas"] != nil {
			return ""
		}
		return pretty(status)
	})
	if got := s.get("web").Status.Health; len(got) != 1 || got[0].IsHealthy {
		t.Errorf("status.health is %v while the rollout is stuck", got)
	}
	s.awaitReason("web", condition.Stalled, condition.ReasonProgressDeadlineExceeded)

	s.dispatch("web", "r3", `{"image":"app:2"}`)
	s.awaitHealth("web", "r3", true)
	for _, component := range s.record.statuses("web") {
		for _, entry := range component.Status.Health {
			if entry.Revision == "r2" && entry.IsHealthy {
				t.Errorf("revision r2 was said to be healthy, though its rollout never ended: %s", pretty(component.Status))
			}
		}
	}
}

func TestRevertDuringRollout(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", inline("frozen", frozen), `{"image":"app:1"}`))
	s.awaitHealth("web", "r1", true)
	pods := s.object("apps/v1", "Deployment", "web").Object["spec"].(map[string]any)["template"]

	s.dispatch("web", "r2", `{"image":"app:2","freeze":true}`)
	s.awaitReason("web", condition.Healthy, condition.ReasonRollingOut)
	s.dispatch("web", "r3", `{"image":"app:1"}`)
	s.awaitHealth("web", "r3", true)

	deployment := s.object("apps/v1", "Deployment", "web")
	if got := pretty(deployment.Object["spec"].(map[string]any)["template"]); got != pretty(pods) {
		t.Errorf("the template after the revert is %s, want %s", got, pretty(pods))
	}
	for _, component := range s.record.statuses("web") {
		for _, entry := range component.Status.Health {
			if entry.Revision == "r2" && entry.IsHealthy {
				t.Errorf("revision r2 was said to be healthy: %s", pretty(component.Status))
			}
		}
	}
}
