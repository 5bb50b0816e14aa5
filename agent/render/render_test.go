package render

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

const source = `
parameters: {text: string}
outputs: [
	{name: "widget", value: {apiVersion: "example.com/v1", kind: "Widget"}},
	{name: "second", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "b"}},
	{name: "first", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "a", data: text: parameters.text}},
	{name: "space", value: {apiVersion: "v1", kind: "Namespace"}},
]`

func component(text string) *corev1alpha1.Component {
	return &corev1alpha1.Component{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u1"},
		Spec:       corev1alpha1.ComponentSpec{Properties: &runtime.RawExtension{Raw: []byte(`{"text":"` + text + `"}`)}},
	}
}

func TestMain(m *testing.M) {
	evaluate.ServeIfWorker()
	os.Exit(m.Run())
}

func TestRender(t *testing.T) {
	def := definition.Definition{Name: "sample", Files: map[string]string{"template.cue": source}}
	evaluator := evaluate.New(evaluate.Options{})
	defer evaluator.Close()
	rendered := func(text string) (*Rendering, error) {
		return Render(t.Context(), evaluator, evaluate.Work{
			Type: "sample", Definition: def, Properties: Properties(component(text)), Context: Context(component(text), Cluster{}),
		}, component(text), nil)
	}
	one, err := rendered("x")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, output := range one.Outputs {
		got = append(got, output.Name)
		if owner, ok := object.OwnerOf(output.Object.GetLabels()); !ok || owner != object.OwnerFor(component("x")) {
			t.Errorf("output %s has owner %v", output.Name, owner)
		}
	}
	// In the order of applying; within one rank, in the order of the definition.
	if diff := cmp.Diff([]string{"space", "second", "first", "widget"}, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	same, err := rendered("x")
	if err != nil || same.Hash != one.Hash {
		t.Errorf("the same input renders to another hash: %v", err)
	}
	other, err := rendered("y")
	if err != nil || other.Hash == one.Hash {
		t.Errorf("other input renders to the same hash: %v", err)
	}
}
