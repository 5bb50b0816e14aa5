package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestControlPlaneIsQuietWhenCached(t *testing.T) {
	if _, err := ControlPlane(t.Context(), os.Stderr); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	assets, err := ControlPlane(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("it said:\n%s", out.String())
	}
	for dir, want := range map[string]int{assets.HubCRDs(): len(hubCRDs), assets.SpokeCRDs(): len(spokeCRDs)} {
		if got := entriesOf(t, dir); len(got) != want {
			t.Errorf("%s holds %v, want %d files", dir, got, want)
		}
	}
}

func TestFingerprintFollowsTheSources(t *testing.T) {
	dir := writeModule(t, map[string]string{"main.go": "package main\n", "go.sum": "", "README.md": "about"})
	seen := map[string]string{}
	for _, state := range []struct{ change, file, content string }{
		{"nothing", "README.md", "changed"},
		{"source", "main.go", "package main\n\n"},
		{"new file", "other.go", "package main\n"},
		{"dependency", "go.sum", "example.com/x v1.0.0 h1:x\n"},
	} {
		before, err := fingerprint(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, state.file), []byte(state.content), 0o600); err != nil {
			t.Fatal(err)
		}
		after, err := fingerprint(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if changed := before != after; changed != (state.change != "nothing") {
			t.Errorf("change of %s: fingerprint changed: %v", state.change, changed)
		}
		if earlier, ok := seen[after]; ok && earlier != state.change {
			t.Errorf("%s has the fingerprint of %s", state.change, earlier)
		}
		seen[after] = state.change
	}
}

func TestRootIsFoundFromBelowAndMissedOutside(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(root, "fleet", "controlplane")) // a module of its own
	if got, err := Root(); err != nil || got != root {
		t.Errorf("from a nested module: %q, %v; want %q", got, err, root)
	}
	t.Chdir(t.TempDir())
	if _, err := Root(); err == nil || !strings.Contains(err.Error(), "inside a checkout of Wheelwright") {
		t.Errorf("outside of a checkout: %v", err)
	}
}

func TestVersionIsStampedForTheServerAndHelm(t *testing.T) {
	got := stampVersion("v1.36.1")
	for _, want := range []string{"gitVersion=v1.36.1", "gitMajor=1", "gitMinor=36"} {
		if !strings.Contains(got, "-X k8s.io/component-base/version."+want) {
			t.Errorf("flags lack %s: %s", want, got)
		}
	}
}
