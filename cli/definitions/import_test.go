package definitions

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vela is an object of KubeVela's with a template.
func vela(kind, name, template string) string {
	return velaWith(kind, name, "{schematic: {cue: {template: "+strconv.Quote(template)+"}}}")
}

func velaWith(kind, name, spec string) string {
	return fmt.Sprintf("apiVersion: core.oam.dev/v1beta1\nkind: %s\nmetadata: {name: %s}\nspec: %s\n", kind, name, spec)
}

const output = `output: {apiVersion: "v1", kind: "ConfigMap"}`

func TestImportSaysWhatBecomesOfEachObject(t *testing.T) {
	for name, tc := range map[string]struct {
		input  string
		action Action
		reason string
		fails  bool
	}{
		"a component":       {vela("ComponentDefinition", "a", output), Written, "", false},
		"a trait":           {vela("TraitDefinition", "a.b-c", "patch: metadata: labels: a: \"b\""), Written, "", false},
		"a step":            {vela("WorkflowStepDefinition", "a", "import \"strings\"\nx: strings.ToUpper(\"x\")"), Written, "", false},
		"the older version": {strings.Replace(vela("ComponentDefinition", "a", output), "v1beta1", "v1alpha2", 1), Written, "", false},
		"a policy":          {vela("PolicyDefinition", "a", output), Skipped, "there is nothing like a PolicyDefinition here", true},
		"another object":    {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}", Skipped, "it is no definition of KubeVela's", false},
		"one of Wheelwright's": {"apiVersion: core.wheelwright.dev/v1alpha1\nkind: ComponentDefinition\nmetadata: {name: a}", Skipped,
			"it is no definition of KubeVela's", false},
		"terraform": {velaWith("ComponentDefinition", "a", "{schematic: {terraform: {configuration: x}}}"),
			Skipped, "it is made with spec.schematic.terraform: only definitions in CUE can be imported", true},
		"no template": {velaWith("TraitDefinition", "a", "{}"), Skipped,
			"it has no CUE: spec.schematic.cue.template is missing", true},
		"a template of another type": {velaWith("TraitDefinition", "a", "{schematic: {cue: {template: 1}}}"),
			Skipped, "spec.schematic.cue.template is no text", true},
		"a template that does not parse": {vela("ComponentDefinition", "a", "output: {"), Skipped,
			"the template is no CUE: template:1:", true},
		"a package of KubeVela's": {vela("WorkflowStepDefinition", "a", "import \"vela/op\"\nx: op.#Apply"), Skipped,
			`the template imports "vela/op"`, true},
		"a package from elsewhere": {vela("WorkflowStepDefinition", "a", "import \"example.com/x\"\ny: x.y"), Skipped,
			"a definition can import nothing but CUE's standard library", true},
		"a package that is not there": {vela("ComponentDefinition", "a", "import \"nothing\"\n"+output+"\ny: nothing.y"), Skipped,
			"a definition can import nothing but CUE's standard library", true},
		"processing": {vela("TraitDefinition", "a", "processing: http: {}\npatch: {}"), Skipped,
			"processing is not supported", true},
		"a component without output": {vela("ComponentDefinition", "a", "parameter: {}"), Skipped, "declares no output", true},
		"a health policy that does not parse": {
			velaWith("ComponentDefinition", "a", "{status: {healthPolicy: 'isHealth: ('}, schematic: {cue: {template: "+strconv.Quote(output)+"}}}"),
			Skipped, "the template is refused: expected operand", true,
		},
		"a path for a name": {vela("ComponentDefinition", "../../a", output), Skipped,
			`the name "../../a" cannot be that of an object`, true},
		"no name":             {vela("ComponentDefinition", `""`, output), Skipped, `the name "" cannot be that of an object`, true},
		"no YAML":             {"a: {{ b }}: c", Skipped, "document 1 is no YAML", true},
		"no object":           {"- a", Skipped, "document 1 is no object", true},
		"no object in a list": {"kind: List\nitems: [a]", Skipped, "document 1: items[0] is no object", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			results, err := Import(t.Context(), bench, strings.NewReader(tc.input), ImportOptions{To: filepath.Join(dir, "deeper", "to")})
			if err != nil || len(results) != 1 {
				t.Fatalf("got %+v, %v", results, err)
			}
			got := results[0]
			if got.Action != tc.action || got.Failed != tc.fails || !strings.Contains(got.Reason, tc.reason) || (got.Reason == "") != (tc.reason == "") {
				t.Errorf("got %+v", got)
			}
			if files := filesIn(t, dir); len(files) > 0 != (tc.action == Written) {
				t.Errorf("written: %v", files)
			}
		})
	}
}

// A file of many documents, lists among them, comes in as far as it can, and what was imported can be read and applied.
func TestImportTakesAllThatItCan(t *testing.T) {
	dir := t.TempDir()
	component, policy := vela("ComponentDefinition", "a", output), vela("PolicyDefinition", "p", "")
	list := "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(vela("TraitDefinition", "b", "patch: {}"), "\n", "\n  ")
	input := strings.Join([]string{"# a comment", component, policy, list, "", component}, "\n---\n")
	results, err := Import(t.Context(), bench, strings.NewReader(input), ImportOptions{To: dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, result := range results {
		got = append(got, result.Kind+" "+result.Name+" "+string(result.Action))
	}
	want := []string{"ComponentDefinition a written", "PolicyDefinition p skipped", "TraitDefinition b written", "ComponentDefinition a skipped"}
	if diff := cmp.Diff(want, got); diff != "" || Failures(results) != 2 {
		t.Errorf("%d failures (-want +got):\n%s", Failures(results), diff)
	}
	if diff := cmp.Diff([]string{"component/a.cue", "trait/b.cue"}, filesIn(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	read, problems, err := Read(t.Context(), bench, dir)
	if err != nil || len(problems) > 0 || len(read) != 2 {
		t.Errorf("read %+v, %v, %v", read, problems, err)
	}
}

func TestImportKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	take := func(template string, overwrite bool) Result {
		t.Helper()
		results, err := Import(t.Context(), bench, strings.NewReader(vela("ComponentDefinition", "a", template)), ImportOptions{To: dir, Overwrite: overwrite})
		if err != nil {
			t.Fatal(err)
		}
		return results[0]
	}
	text := func() string {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(dir, "component", "a.cue"))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	take(output, false)
	first := text()
	if got := take(output, false); got.Action != Unchanged || got.Failed {
		t.Errorf("the same again: %+v", got)
	}
	if got := take(output+"\nparameter: {}", false); !got.Failed || !strings.Contains(got.Reason, "--overwrite") || text() != first {
		t.Errorf("another one: %+v\n%s", got, text())
	}
	if got := take(output+"\nparameter: {}", true); got.Action != Written || !strings.Contains(text(), "parameter") {
		t.Errorf("another one, to be overwritten: %+v\n%s", got, text())
	}
	if err := os.Rename(filepath.Join(dir, "component", "a.cue"), filepath.Join(dir, "outside.cue")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "component", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := take(output, true); !got.Failed || !strings.Contains(got.Reason, "component/a defines it already") {
		t.Errorf("beside a folder: %+v", got)
	}
}

// A link out of the folder leads nowhere.
func TestImportStaysInTheFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "component")); err != nil {
		t.Fatal(err)
	}
	results, err := Import(t.Context(), bench, strings.NewReader(vela("ComponentDefinition", "a", output)), ImportOptions{To: dir})
	if err != nil || Failures(results) != 1 {
		t.Errorf("got %+v, %v", results, err)
	}
	if files := filesIn(t, outside); len(files) > 0 {
		t.Errorf("written outside: %v", files)
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(at string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
