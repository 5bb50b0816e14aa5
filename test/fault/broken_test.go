package fault

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// install puts a definition onto the cluster, under a name that only this lane has.
func (l *lane) install(template, workflow string) *corev1alpha1.ComponentDefinition {
	l.t.Helper()
	installed := &corev1alpha1.ComponentDefinition{}
	installed.Name = l.ns + "-plain"
	installed.Spec.Files = definitionOf("plain", template, workflow).Files
	l.create(installed)
	l.t.Cleanup(func() { l.check(client.IgnoreNotFound(shared.client.Delete(context.Background(), installed))) })
	return installed
}

func (l *lane) awaitReason(name, typ, reason string) {
	l.t.Helper()
	l.eventually(fmt.Sprintf("%s has %s with reason %s", name, typ, reason), func() string {
		component := l.get(name)
		found := meta.FindStatusCondition(component.Status.Conditions, typ)
		if found == nil || found.Reason != reason || found.ObservedGeneration != component.Generation {
			return pretty(component.Status)
		}
		return ""
	})
}

func TestADefinitionThatIsGoneOrBrokenTakesNothingAway(t *testing.T) {
	t.Parallel()
	const undo = `workflow: delete: [{type: "run-job", name: "undo", properties: {image: "tool:1", command: ["undo"]}}]`
	l := newLane(t)
	l.start()
	installed := l.install(plain, undo)
	standalone := func(name string) {
		made := l.component(name, "", plainDefinition, text("a"))
		made.Spec.Type, made.Spec.DefinitionSnapshot = installed.Name, nil
		l.create(made)
		l.awaitReason(name, condition.Ready, condition.ReasonReady)
	}
	for _, name := range []string{"stays", "goes-without", "goes-with-broken"} {
		standalone(name)
	}
	before := l.uid("stays-config")

	l.must(shared.client.Delete(t.Context(), installed))
	l.awaitReason("stays", condition.Rendered, condition.ReasonDefinitionNotFound)
	l.restart()
	l.patch("stays", types.MergePatchType, `{"spec":{"properties":{"text":"b"}}}`)
	l.awaitReason("stays", condition.Rendered, condition.ReasonDefinitionNotFound)
	l.wantPlain("stays", "a", "without its definition")
	l.delete("goes-without")
	l.awaitGone("goes-without")

	l.install("outputs: [{name: nothing}]", "")
	l.awaitReason("stays", condition.Rendered, condition.ReasonDefinitionInvalid)
	l.restart()
	l.awaitReason("stays", condition.Rendered, condition.ReasonDefinitionInvalid)
	l.wantPlain("stays", "a", "with a broken definition")
	l.delete("goes-with-broken")
	l.awaitGone("goes-with-broken")
	if jobs := len(l.jobs("goes-without")) + len(l.jobs("goes-with-broken")); jobs != 0 {
		t.Errorf("%d Jobs were made by a workflow that is not there", jobs)
	}

	mended := &corev1alpha1.ComponentDefinition{}
	mended.Name = installed.Name
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"files":{"template.cue":%q}}}`, plain))
	l.must(shared.client.Patch(t.Context(), mended, patch))
	l.awaitReason("stays", condition.Ready, condition.ReasonReady)
	l.wantPlain("stays", "b", "with its definition again")
	if l.uid("stays-config") != before {
		t.Error("the object was made anew on the way")
	}
}
