package invariant

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// ready is a status that breaks nothing.
func ready() *corev1alpha1.Component {
	component := &corev1alpha1.Component{}
	component.Generation, component.Spec.Revision = 3, "r3"
	component.Status = corev1alpha1.ComponentStatus{
		ObservedGeneration: 3, IsHealthy: ptr.To(true),
		Health: []corev1alpha1.RevisionHealth{{Revision: "r3", IsHealthy: true}},
	}
	for _, typ := range []string{condition.Ready, condition.Verified, condition.Rendered, condition.Applied, condition.Healthy} {
		set(component, typ, metav1.ConditionTrue)
	}
	set(component, condition.Progressing, metav1.ConditionFalse)
	set(component, condition.Stalled, metav1.ConditionFalse)
	return component
}

func set(component *corev1alpha1.Component, typ string, status metav1.ConditionStatus) {
	meta.SetStatusCondition(&component.Status.Conditions, metav1.Condition{
		Type: typ, Status: status, Reason: "Any", Message: "Any.", ObservedGeneration: component.Generation})
}

func TestOfComponent(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*corev1alpha1.Component)
		// want is a part of what is found broken, or "" for nothing.
		want string
	}{
		"sound":           {func(*corev1alpha1.Component) {}, ""},
		"never looked at": {func(c *corev1alpha1.Component) { c.Status = corev1alpha1.ComponentStatus{} }, ""},
		"healthy and not ready": {func(c *corev1alpha1.Component) {
			set(c, condition.Ready, metav1.ConditionFalse)
			set(c, condition.Stalled, metav1.ConditionTrue)
		}, ""},
		"ready without a stage": {func(c *corev1alpha1.Component) { set(c, condition.Rendered, metav1.ConditionFalse) }, "Ready is True and Rendered is not"},
		"a stage is missing":    {func(c *corev1alpha1.Component) { meta.RemoveStatusCondition(&c.Status.Conditions, condition.Applied) }, "Applied is missing"},
		"ready and stalled":     {func(c *corev1alpha1.Component) { set(c, condition.Stalled, metav1.ConditionTrue) }, "2 of Ready, Progressing and Stalled"},
		"nothing is True":       {func(c *corev1alpha1.Component) { set(c, condition.Ready, metav1.ConditionFalse) }, "0 of Ready, Progressing and Stalled"},
		"health without the condition": {func(c *corev1alpha1.Component) {
			set(c, condition.Healthy, metav1.ConditionFalse)
			set(c, condition.Ready, metav1.ConditionFalse)
			set(c, condition.Progressing, metav1.ConditionTrue)
		}, "status.health is true and Healthy is not"},
		"two healths":           {func(c *corev1alpha1.Component) { c.Status.Health = append(c.Status.Health, c.Status.Health[0]) }, "more than one entry"},
		"of another revision":   {func(c *corev1alpha1.Component) { c.Status.Health[0].Revision = "r2" }, "is of revision r2"},
		"of another generation": {func(c *corev1alpha1.Component) { c.Status.Conditions[1].ObservedGeneration = 2 }, "is of generation 2"},
		"no reason":             {func(c *corev1alpha1.Component) { c.Status.Conditions[1].Reason = "" }, "has no reason"},
		"exports of the unhealthy": {func(c *corev1alpha1.Component) {
			c.Status.Exports = corev1alpha1.Component{}.Spec.Properties
			c.Status.IsHealthy = ptr.To(false)
		}, "status.isHealthy is not what"},
	} {
		t.Run(name, func(t *testing.T) {
			component := ready()
			tc.change(component)
			broken := OfComponent(component, func(int64) string { return "r3" })
			switch {
			case tc.want == "" && len(broken) > 0:
				t.Errorf("got %q, want nothing", broken)
			case tc.want != "" && !strings.Contains(strings.Join(broken, "\n"), tc.want):
				t.Errorf("got %q, want %q among it", broken, tc.want)
			}
		})
	}
}
