package definitions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func TestApplyWritesWhatDiffersAndNothingElse(t *testing.T) {
	hub := newHub(t)
	files := map[string]string{
		"component/web/template.cue": source, "component/web/health.cue": "isHealthy: true", "component/web/web_test.cue": "a: {",
		"component/web/definition.yaml": "apiVersion: v2\nversion: 1.4.2", "component/web/tests/a.yaml": "expect: {}",
		"component/dotted.name.cue": source,
		"trait/late/trait.cue":      "outputs: []", "trait/late/definition.yaml": "phase: post\nappliesTo: [web, api]",
		"step/send.cue":    "import \"vela/op\"\nsend: op.#Apply",
		"more/flat/it.cue": "\"flat\": {type: \"workflow-step\"}\ntemplate: {}",
	}
	want(t, hub.apply(files, ApplyOptions{}), "ComponentDefinition dotted.name created", "ComponentDefinition web created",
		"TraitDefinition late created", "WorkflowStepDefinition flat created", "WorkflowStepDefinition send created")
	web := hub.component("web")
	wanted := corev1alpha1.DefinitionContent{
		Files: map[string]string{"template.cue": source, "health.cue": "isHealthy: true"}, APIVersion: "v2", Version: "1.4.2",
	}
	if diff := cmp.Diff(wanted, web.Spec.DefinitionContent); diff != "" {
		t.Errorf("web (-want +got):\n%s", diff)
	}
	late := &corev1alpha1.TraitDefinition{}
	if err := hub.Get(t.Context(), client.ObjectKey{Name: "late"}, late); err != nil || late.Spec.Phase != "post" || len(late.Spec.AppliesTo) != 2 {
		t.Errorf("late: %v, %+v", err, late.Spec)
	}
	if got := web.ManagedFields[0]; got.Manager != "wheel" || got.Operation != "Apply" {
		t.Errorf("applied by %s, %s", got.Manager, got.Operation)
	}

	hub.writes = 0
	want(t, hub.apply(files, ApplyOptions{}), "ComponentDefinition dotted.name unchanged", "ComponentDefinition web unchanged",
		"TraitDefinition late unchanged", "WorkflowStepDefinition flat unchanged", "WorkflowStepDefinition send unchanged")
	if hub.writes > 0 {
		t.Errorf("%d writes where nothing differs", hub.writes)
	}

	delete(files, "component/web/health.cue")
	delete(files, "component/web/definition.yaml")
	want(t, hub.apply(files, ApplyOptions{})[1:2], "ComponentDefinition web configured")
	if got := hub.component("web").Spec.DefinitionContent; len(got.Files) != 1 || got.APIVersion != "v1" || got.Version != "" || hub.writes != 1 {
		t.Errorf("after %d writes: %+v", hub.writes, got)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	hub := newHub(t)
	want(t, hub.apply(map[string]string{"component/web.cue": source}, ApplyOptions{DryRun: true}), "ComponentDefinition web created")
	hub.apply(map[string]string{"component/web.cue": source}, ApplyOptions{})
	hub.edit("web", `{"spec": {"files": {"template.cue": "theirs"}}}`)
	before := hub.component("web")
	changed := map[string]string{"component/web.cue": source + "// changed\n", "component/a.b/c.d.cue": source}
	want(t, hub.apply(changed, ApplyOptions{DryRun: true}),
		"ComponentDefinition a.b failed: ", "ComponentDefinition web failed: spec.files.template.cue belongs to kubectl-edit")
	want(t, hub.apply(changed, ApplyOptions{DryRun: true, Force: true})[1:], "ComponentDefinition web configured")
	if after := hub.component("web"); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("written: %+v", after)
	}
}

// What others own is left alone until --force takes it over, and then it is wheel's, but for what is not the definition.
func TestConflictsNameTheOwnerAndForceTakesOver(t *testing.T) {
	hub := newHub(t)
	files := map[string]string{"component/web/template.cue": source}
	hub.apply(files, ApplyOptions{})
	hub.edit("web", `{"metadata": {"labels": {"team": "shop"}},
		"spec": {"files": {"template.cue": "theirs", "more.cue": "isHealthy: true"}}}`)

	want(t, hub.apply(files, ApplyOptions{}),
		"ComponentDefinition web failed: spec.files.template.cue belongs to kubectl-edit: --force takes it over")
	if got := hub.component("web").Spec.Files["template.cue"]; got != "theirs" {
		t.Errorf("overwritten with %s", got)
	}
	want(t, hub.apply(files, ApplyOptions{Force: true}), "ComponentDefinition web configured")
	web := hub.component("web")
	if diff := cmp.Diff(map[string]string{"template.cue": source}, web.Spec.Files); diff != "" || web.Labels["team"] != "shop" {
		t.Errorf("labels %v, files (-want +got):\n%s", web.Labels, diff)
	}
	if owners := ownersOfSpec(web.ManagedFields); len(owners) > 0 {
		t.Errorf("the spec still belongs to %v", owners)
	}
	files["component/web/template.cue"] += "// changed\n"
	want(t, hub.apply(files, ApplyOptions{}), "ComponentDefinition web configured")
}

// A file that others added is no conflict, as nothing is said of it here; but what renders is then not what the folder has.
func TestWhatOthersAddedIsReported(t *testing.T) {
	hub := newHub(t)
	files := map[string]string{"component/web/template.cue": source}
	hub.apply(files, ApplyOptions{})
	hub.edit("web", `{"spec": {"version": "9", "files": {"more.cue": "isHealthy: true"}}}`)
	want(t, hub.apply(files, ApplyOptions{}),
		"ComponentDefinition web failed: applied, but definition.yaml, more.cue is not as in the folder: it belongs to kubectl-edit")
	want(t, hub.apply(files, ApplyOptions{Force: true}), "ComponentDefinition web configured")
	want(t, hub.apply(files, ApplyOptions{}), "ComponentDefinition web unchanged")
}

func TestOneRefusalDoesNotStopTheOthers(t *testing.T) {
	hub := newHub(t)
	results := hub.apply(map[string]string{
		"component/bad/a.b.cue": source,
		"component/big.cue":     source + "//" + strings.Repeat(`"`, 900_000),
		"component/ok.cue":      source,
		"trait/ok.cue":          "outputs: []",
	}, ApplyOptions{})
	want(t, results, "ComponentDefinition bad failed: ", "ComponentDefinition big failed: the definition is too large",
		"ComponentDefinition ok created", "TraitDefinition ok created")
	if !strings.Contains(results[0].Reason, "each key of files must be the name of a CUE file, such as template.cue") {
		t.Errorf("got %s", results[0].Reason)
	}
}

// Where nobody answers, one error says so, and nothing more is tried.
func TestAClusterThatDoesNotAnswerIsAnError(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	nobody, err := client.New(&rest.Config{Host: "https://127.0.0.1:1"}, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	read := readFiles(t, map[string]string{"component/a.cue": source, "component/b.cue": source})
	results, err := Apply(t.Context(), nobody, read, ApplyOptions{})
	if err == nil || len(results) > 0 || !strings.Contains(err.Error(), "2 of 2 definitions were not tried") {
		t.Errorf("got %+v, %v", results, err)
	}
	if _, err := Diff(t.Context(), nobody, read, false); err == nil {
		t.Error("there is a difference to nothing")
	}
}

// On a cluster that is no hub, the kinds are missing.
func TestAClusterWithoutTheKindsIsExplained(t *testing.T) {
	hub := newHub(t)
	read := readFiles(t, map[string]string{"component/a.cue": source})
	if action, err := applyOne(t.Context(), withoutKinds{hub}, read[0], ApplyOptions{}); err == nil || !answered(err) ||
		!strings.Contains(explain(err).Error(), "choose the hub with --context") {
		t.Errorf("got %s, %v", action, err)
	}
}

// Nothing of a folder is handed on when anything in it is broken, and everything that is wrong is said at once.
func TestABrokenFolderIsRefusedAsAWhole(t *testing.T) {
	read, problems, err := Read(t.Context(), bench, folderOf(t, map[string]string{
		"component/good.cue": source, "component/bad.cue": "outputs: [", "component/worse/a.cue": source + "message: nothing",
		"trait/early/t.cue": "outputs: []", "trait/early/definition.yaml": "phase: soon",
		"component/web/a.cue": source, "component/web/definition.yaml": "phase: pre",
		"trait/old.cue": "\"old\": {type: \"trait\"}\ntemplate: {processing: {}, patch: {}}",
		"step/s.cue":    "a: }", "other/s.cue": "\"s\": {type: \"workflow-step\"}\ntemplate: {}",
	}))
	if err != nil || read != nil {
		t.Errorf("got %+v, %v", read, err)
	}
	var got []string
	for _, problem := range problems {
		got = append(got, problem.String())
	}
	wanted := []string{
		"component/bad.cue:1:11: expected ']', found 'EOF'",
		"component/web: component/web/definition.yaml says phase or appliesTo: traits alone have them",
		`component/worse/a.cue:2:10: message: reference "nothing" not found`,
		`step/s.cue: step "s" is defined already, in other/s.cue`,
		`trait/early: trait/early/definition.yaml: phase is "soon": write pre, default or post`,
		"trait/old.cue:2:12: processing is not supported: what a definition renders depends on nothing but its parameters and the context",
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, _, err := Read(t.Context(), bench, t.TempDir()); err == nil || !strings.Contains(err.Error(), "there are no definitions in") {
		t.Errorf("an empty folder: %v", err)
	}
}
