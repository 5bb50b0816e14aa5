package owned

import (
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestTrim(t *testing.T) {
	const text = `{"kind":"Deployment","metadata":{"name":"web","managedFields":[{"manager":"kubectl"}]},"spec":{"containers":[{"name":"main","ports":[]}],"none":null}}`
	decode := func() *unstructured.Unstructured {
		made := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &made.Object); err != nil {
			t.Fatal(err)
		}
		return made
	}
	trimmed := func() map[string]any {
		got, err := trim(decode())
		if err != nil {
			t.Fatal(err)
		}
		return got.(*unstructured.Unstructured).Object
	}
	want := decode()
	want.SetManagedFields(nil)
	first, second := trimmed(), trimmed()
	if diff := cmp.Diff(want.Object, first); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if nameAt(first) != nameAt(second) {
		t.Error("two objects have a copy each of the name of a field")
	}
}

// nameAt is where the name of the only field of containers called ports lies.
func nameAt(object map[string]any) *byte {
	container := object["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
	for name := range container {
		if name == "ports" {
			return unsafe.StringData(name)
		}
	}
	return nil
}
