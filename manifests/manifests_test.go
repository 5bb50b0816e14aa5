package manifests_test

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"wheelwright.dev/wheelwright/manifests"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

func TestTheStepsAreDeliveredAsTheirCUEHasThem(t *testing.T) {
	entries, err := os.ReadDir("steps")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]corev1alpha1.DefinitionContent{}
	for _, entry := range entries {
		read, err := definition.FromDirectory(os.DirFS("steps"), entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		want[read.Name] = read.Content()
	}
	file, err := manifests.FS.Open("agent/steps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got := map[string]corev1alpha1.DefinitionContent{}
	decoder := utilyaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		step := &corev1alpha1.WorkflowStepDefinition{}
		err := decoder.Decode(step)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if step.Kind != "WorkflowStepDefinition" || step.APIVersion != corev1alpha1.GroupVersion.String() {
			t.Errorf("%s is a %s of %s", step.Name, step.Kind, step.APIVersion)
		}
		got[step.Name] = step.Spec.DefinitionContent
	}
	if difference := cmp.Diff(want, got); difference != "" || len(got) == 0 {
		t.Errorf("run 'make generate': steps.yaml is not what the folder steps has (-want +got):\n%s", difference)
	}
}
