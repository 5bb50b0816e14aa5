package fault

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// trackerEdits are what a person may do to a tracker.
var trackerEdits = []struct {
	name   string
	change func(*corev1alpha1.ResourceTracker)
}{
	{name: "deleted"},
	{name: "emptied", change: func(tracker *corev1alpha1.ResourceTracker) { tracker.Spec.Resources = nil }},
	{name: "stranger-added", change: func(tracker *corev1alpha1.ResourceTracker) {
		tracker.Spec.Resources = append(tracker.Spec.Resources, corev1alpha1.TrackedResource{
			Version: "v1", Kind: "ConfigMap", Namespace: tracker.Spec.Component.Namespace, Name: "stranger",
		})
	}},
	{name: "given-away", change: func(tracker *corev1alpha1.ResourceTracker) { tracker.Spec.Component.UID = "somebody-else" }},
	{name: "hash-changed", change: func(tracker *corev1alpha1.ResourceTracker) { tracker.Spec.RenderHash = "none" }},
}

// The tracker is changed while an upgrade is under way that makes an output leave.
func TestATrackerThatIsEditedByHandTakesNothingAway(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.start()
	l.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: l.ns, Name: "stranger"}})
	for _, edit := range trackerEdits {
		l.create(l.wholeComponent(edit.name, "r1", "a"))
		l.awaitHealthy(edit.name, "r1")
		held := l.hold()
		l.dispatch(edit.name, "r2", l.wholeProperties("b"))
		held.await()
		l.editTracker(edit.name, edit.change)
		held.letGo()
		l.awaitHealthy(edit.name, "r2")
		l.eventually(edit.name+": what is not rendered any more is gone", func() string {
			if left := l.config(edit.name + "-a"); left != nil {
				return left.Name + " is left"
			}
			return ""
		})
		l.wantEffects(edit.name, "upgrade", edit.name)
		l.wantDeleted(edit.name)
	}
	if l.config("stranger") == nil {
		t.Error("an object that no Component rendered is gone")
	}
}

// editTracker changes the tracker of a Component, or deletes it where there is no change.
func (l *lane) editTracker(name string, change func(*corev1alpha1.ResourceTracker)) {
	l.t.Helper()
	tracker := &corev1alpha1.ResourceTracker{}
	l.must(shared.client.Get(context.Background(), client.ObjectKey{Name: l.ns + "." + name}, tracker))
	if change == nil {
		l.must(shared.client.Delete(context.Background(), tracker))
		return
	}
	before := tracker.DeepCopy()
	change(tracker)
	l.must(shared.client.Patch(context.Background(), tracker, client.MergeFrom(before)))
}
