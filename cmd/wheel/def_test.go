package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const velaDefinitions = `apiVersion: v1
kind: ConfigMap
metadata: {name: beside}
---
apiVersion: core.oam.dev/v1beta1
kind: ComponentDefinition
metadata: {name: cache}
spec: {schematic: {cue: {template: 'output: {apiVersion: "v1", kind: "ConfigMap"}'}}}
`

// runDef runs wheel def, with no cluster to reach.
func runDef(t *testing.T, input string, args ...string) (string, error) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out bytes.Buffer
	command := defCommand()
	command.SetIn(strings.NewReader(input))
	command.SetOut(&out)
	command.SilenceUsage, command.SilenceErrors = true, true
	command.SetArgs(args)
	err := command.ExecuteContext(t.Context())
	return out.String(), err
}

// What is imported is vetted, and printed for git without a cluster.
func TestDefImportAndPrint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "definitions")
	out, err := runDef(t, velaDefinitions, "import", "-", "--to", dir)
	if err != nil || !strings.Contains(out, "ComponentDefinition   cache    written\n") || !strings.Contains(out, "Next: wheel vet "+dir) {
		t.Fatalf("%v:\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "more.yaml")
	if err := os.WriteFile(file, []byte(velaDefinitions+"---\n[\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = runDef(t, "", "import", file, "--to", dir)
	if err == nil || err.Error() != "1 of 3 objects were not imported" || !strings.Contains(out, "unchanged") {
		t.Errorf("%v:\n%s", err, out)
	}
	for _, output := range []string{"yaml", "json"} {
		out, err = runDef(t, "", "apply", dir, "--dry-run", "-o", output)
		if err != nil {
			t.Fatal(err)
		}
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(out), &object); err != nil || !strings.Contains(out, "cache") {
			t.Errorf("%s: %v:\n%s", output, err, out)
		}
	}
}

// What is wrong with the folder or the flags is said before a cluster is looked for.
func TestDefRefuses(t *testing.T) {
	broken := t.TempDir()
	for place, text := range map[string]string{"component/a.cue": "outputs: [", "trait/b.cue": "phase: \"soon\"\n"} {
		at := filepath.Join(broken, place)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		args      []string
		want, err string
		code      int
	}{
		"apply of a broken folder": {[]string{"apply", broken},
			"component/a.cue:1:11: expected ']', found 'EOF'\ntrait/b.cue:1:1: ", "2 problems found in " + broken, 1},
		"apply of no folder":       {[]string{"apply", filepath.Join(broken, "none")}, "", "opening the folder of definitions", 1},
		"apply of an empty folder": {[]string{"apply", t.TempDir()}, "", "there are no definitions in", 1},
		"apply to no cluster":      {[]string{"apply", definitions, "--context", "mars"}, "", "mars", 1},
		"another output":           {[]string{"apply", definitions, "-o", "xml"}, "", `unknown output "xml": use table, json or yaml`, 1},
		"diff of a broken folder":  {[]string{"diff", broken}, "component/a.cue:1:11", "2 problems found", 2},
		"diff with no cluster":     {[]string{"diff", definitions, "--context", "mars"}, "", "mars", 2},
		"import of no file": {[]string{"import", filepath.Join(broken, "none.yaml"), "--to", t.TempDir()},
			"", "opening the definitions to import", 1},
		"import of nothing": {[]string{"import", "-", "--to", t.TempDir()}, "", "the input holds no objects", 1},
		"import to nowhere": {[]string{"import", "-"}, "", `required flag(s) "to" not set`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runDef(t, "", tc.args...)
			if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(out, tc.want) {
				t.Errorf("got %v, %s", err, out)
			}
			code := 1
			if own := (*exitError)(nil); errors.As(err, &own) {
				code = own.code
			}
			if code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
		})
	}
}
