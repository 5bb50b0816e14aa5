package e2e

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// What a schema can know is refused when it is applied, with a sentence that says what to do.
func TestTheSchemaRefusesBadInput(t *testing.T) {
	namespace := newNamespace(t)
	apply := func(changes ...change) client.Object {
		app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "shop"}}
		app.Spec.Placement.Clusters = []string{"dev-eu"}
		for _, change := range changes {
			change(app)
		}
		return app
	}
	named := func(name string) change { return func(app *corev1alpha1.Application) { app.Name = name } }
	definition := func(files map[string]string, line string) client.Object {
		return &corev1alpha1.ComponentDefinition{
			ObjectMeta: metav1.ObjectMeta{Name: "schema-" + namespace},
			Spec:       corev1alpha1.ComponentDefinitionSpec{DefinitionContent: corev1alpha1.DefinitionContent{Files: files, APIVersion: line}},
		}
	}
	cue := map[string]string{"template.cue": "outputs: []"}
	cases := map[string]struct {
		object client.Object
		says   string
	}{
		"NoComponents":      {apply(), "spec.components"},
		"UnknownDependency": {apply(component("a", "webservice", web(), "b")), "dependsOn must name components of this Application"},
		"SelfDependency":    {apply(component("a", "webservice", web(), "a")), "a component cannot depend on itself"},
		"ComponentName":     {apply(component("A_b", "webservice", web())), "lower-case letters, digits and '-'"},
		"Type":              {apply(component("a", "Web Service", web())), "type must be the name of a ComponentDefinition"},
		"NoPlacement": {apply(component("a", "webservice", web()), func(app *corev1alpha1.Application) {
			app.Spec.Placement = corev1alpha1.ApplicationPlacement{}
		}), "exactly one of clusters, clusterSelector or placementRef"},
		"TwoPlacements": {apply(component("a", "webservice", web()), func(app *corev1alpha1.Application) {
			app.Spec.Placement.ClusterSelector = &metav1.LabelSelector{}
		}), "exactly one of clusters, clusterSelector or placementRef"},
		"LongNames":      {apply(component(strings.Repeat("c", 40), "webservice", web()), named(strings.Repeat("a", 40))), "at most 63 characters"},
		"NoFiles":        {definition(map[string]string{}, "v1"), "spec.files"},
		"FileName":       {definition(map[string]string{"../x.cue": ""}, "v1"), "name of a CUE file"},
		"NotCUE":         {definition(map[string]string{"template.yaml": ""}, "v1"), "name of a CUE file"},
		"DefinitionLine": {definition(cue, "1.0"), "apiVersion is the definition's API line"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := shared.hubClient.Create(t.Context(), c.object)
			if err == nil {
				t.Fatal("it was accepted")
			}
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("want a refusal that says %q, got: %v", c.says, err)
			}
		})
	}
}
