package admission

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func TestDefaultClusterSet(t *testing.T) {
	const newer = `"spec":{"aFieldOfANewerRelease":1}`
	for name, row := range map[string]struct{ cluster, want string }{
		"no labels":    {`{"metadata":{"name":"c"},` + newer + `}`, `{"metadata":{"name":"c","labels":{"cluster.open-cluster-management.io/clusterset":"default"}},` + newer + `}`},
		"other labels": {`{"metadata":{"name":"c","labels":{"a":"b"}}}`, `{"metadata":{"name":"c","labels":{"a":"b","cluster.open-cluster-management.io/clusterset":"default"}}}`},
		"empty set":    {`{"metadata":{"name":"c","labels":{"cluster.open-cluster-management.io/clusterset":""}}}`, `{"metadata":{"name":"c","labels":{"cluster.open-cluster-management.io/clusterset":"default"}}}`},
		"a set":        {`{"metadata":{"name":"c","labels":{"cluster.open-cluster-management.io/clusterset":"eu"}}}`, `{"metadata":{"name":"c","labels":{"cluster.open-cluster-management.io/clusterset":"eu"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			response := defaultClusterSet(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Object: runtime.RawExtension{Raw: []byte(row.cluster)},
			}})
			if !response.Allowed {
				t.Fatalf("denied: %+v", response.Result)
			}
			if diff := cmp.Diff(decoded(t, []byte(row.want)), decoded(t, patched(t, row.cluster, response))); diff != "" {
				t.Errorf("cluster (-want +got):\n%s", diff)
			}
		})
	}
}

// patched is the object as the API server makes it of the answer.
func patched(t *testing.T, object string, response admission.Response) []byte {
	t.Helper()
	operations, err := json.Marshal(response.Patches)
	if err != nil {
		t.Fatal(err)
	}
	if len(response.Patches) == 0 {
		return []byte(object)
	}
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := patch.Apply([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func decoded(t *testing.T, object []byte) map[string]any {
	t.Helper()
	var decoded map[string]any
	if err := json.Unmarshal(object, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}
