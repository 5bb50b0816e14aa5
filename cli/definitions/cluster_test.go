package definitions

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// source is a sound component's.
const source = "outputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"ConfigMap\"}}]\n"

// hub is one test's view of the control plane. At the end of the test its definitions are gone.
type hub struct {
	t *testing.T
	client.Client
	// writes counts the patches that were sent.
	writes int
}

func newHub(t *testing.T) *hub {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	plain, err := client.NewWithWatch(clusterConfig, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	h := &hub{t: t}
	h.Client = interceptor.NewClient(plain, interceptor.Funcs{
		Patch: func(ctx context.Context, next client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			h.writes++
			return next.Patch(ctx, object, patch, options...)
		},
	})
	t.Cleanup(func() {
		for _, kind := range []string{componentKind, traitKind, stepKind} {
			if err := plain.DeleteAllOf(context.Background(), empty(kind)); err != nil {
				t.Errorf("deleting what the test made: %v", err)
			}
		}
	})
	return h
}

// apply reads a folder of these files and applies it.
func (h *hub) apply(files map[string]string, options ApplyOptions) []Result {
	h.t.Helper()
	results, err := Apply(h.t.Context(), h, readFiles(h.t, files), options)
	if err != nil {
		h.t.Fatal(err)
	}
	return results
}

// readFiles reads a folder of these files, which must be sound.
func readFiles(t *testing.T, files map[string]string) []Definition {
	t.Helper()
	read, problems, err := Read(t.Context(), bench, folderOf(t, files))
	if err != nil || len(problems) > 0 {
		t.Fatalf("reading the folder: %v, %v", err, problems)
	}
	return read
}

func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for place, content := range files {
		at := filepath.Join(dir, place)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (h *hub) component(name string) *corev1alpha1.ComponentDefinition {
	h.t.Helper()
	found := &corev1alpha1.ComponentDefinition{}
	if err := h.Get(h.t.Context(), client.ObjectKey{Name: name}, found); err != nil {
		h.t.Fatal(err)
	}
	return found
}

// edit merges into a component as kubectl edit does.
func (h *hub) edit(name, patch string) {
	h.t.Helper()
	object := &corev1alpha1.ComponentDefinition{}
	object.Name = name
	if err := h.Patch(h.t.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("kubectl-edit")); err != nil {
		h.t.Fatal(err)
	}
}

// want compares results, one line each, with the beginnings of lines.
func want(t *testing.T, results []Result, lines ...string) {
	t.Helper()
	if len(results) != len(lines) {
		t.Fatalf("got %+v\nwant %q", results, lines)
	}
	for i, result := range results {
		line := result.Kind + " " + result.Name + " " + string(result.Action)
		if result.Reason != "" {
			line += ": " + result.Reason
		}
		if !strings.HasPrefix(line, lines[i]) || result.Failed != (result.Action == Failed) {
			t.Errorf("got %s, failed %v\nwant %s", line, result.Failed, lines[i])
		}
	}
}

// withoutKinds is a cluster that knows none of the kinds.
type withoutKinds struct{ client.Client }

func (withoutKinds) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return &meta.NoKindMatchError{GroupKind: corev1alpha1.GroupVersion.WithKind("Any").GroupKind()}
}

func (withoutKinds) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return &meta.NoKindMatchError{GroupKind: corev1alpha1.GroupVersion.WithKind("Any").GroupKind()}
}
