package application

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

const webSource = `parameters: image: string
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: image: parameters.image}}]`

const labelSource = `appliesTo: ["web"]
parameters: team: string
patch: outputs: [{name: "config", metadata: labels: team: parameters.team}]`

func componentDefinition(name, source string) *corev1alpha1.ComponentDefinition {
	def := &corev1alpha1.ComponentDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
	def.Spec.Files = map[string]string{"template.cue": source}
	return def
}

func traitDefinition(name, phase, source string) *corev1alpha1.TraitDefinition {
	def := &corev1alpha1.TraitDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
	def.Spec.Phase = phase
	def.Spec.Files = map[string]string{"template.cue": source}
	return def
}

func applicationWith(typ string, traits ...corev1alpha1.ComponentTrait) *corev1alpha1.Application {
	return &corev1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "store", UID: "u1", Generation: 1},
		Spec: corev1alpha1.ApplicationSpec{Components: []corev1alpha1.ApplicationComponent{{
			Name: "front", Type: typ, Properties: &runtime.RawExtension{Raw: []byte(`{"image":"a"}`)}, Traits: traits,
		}}},
	}
}

func trait(typ, properties string) corev1alpha1.ComponentTrait {
	made := corev1alpha1.ComponentTrait{Type: typ}
	if properties != "" {
		made.Properties = &runtime.RawExtension{Raw: []byte(properties)}
	}
	return made
}

func TestMain(m *testing.M) {
	evaluate.ServeIfWorker()
	os.Exit(m.Run())
}

// hubWith is a Reconciler over a hub that has these objects.
func hubWith(t *testing.T, objects ...client.Object) *Reconciler {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1alpha1.AddToScheme, appsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	hubClient := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	evaluator := evaluate.New(evaluate.Options{Size: 1})
	t.Cleanup(evaluator.Close)
	return &Reconciler{hubClient: hubClient, hubReader: hubClient, checker: evaluator}
}

// What a spoke would refuse of traits, the hub refuses before anything is dispatched.
func TestTraitsAreChecked(t *testing.T) {
	hub := hubWith(t, componentDefinition("web", webSource), componentDefinition("other", webSource),
		traitDefinition("label", "", labelSource), traitDefinition("broken", "", "outputs: ["),
		traitDefinition("image", "pre", "patch: properties: image: \"b\""), traitDefinition("v1", "pre", "patch: {}"))
	for name, tc := range map[string]struct {
		app  *corev1alpha1.Application
		want string
	}{
		"sound":                 {applicationWith("web", trait("label", `{"team":"a"}`), trait("label", `{"team":"a"}`)), ""},
		"unknown":               {applicationWith("web", trait("lable", "")), `component "front": traits[0]: no TraitDefinition is named lable; there are "broken", "image", "label"`},
		"broken":                {applicationWith("web", trait("broken", "")), `TraitDefinition broken is broken: broken/template.cue:1:`},
		"wrong properties":      {applicationWith("web", trait("label", `{"taem":"a"}`)), `traits[0] label: missing required parameter "team" (string)`},
		"another type":          {applicationWith("other", trait("label", `{"team":"a"}`)), `component "front": traits[0] label does not apply to components of type other: it is for web`},
		"phase of no such form": {applicationWith("web", trait("v1", "")), `TraitDefinition v1 is broken: v1: the definition is written as for KubeVela v1`},
		"pre":                   {applicationWith("web", trait("image", "")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, problems, err := hub.loadDefinitions(t.Context(), tc.app)
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) == 0 {
				if problems, err = checkComponents(t.Context(), tc.app, found, hub.checker); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if len(problems) > 0 {
				got = summarize(problems).message
			}
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q in it", got, tc.want)
			}
		})
	}
}

// A definition that never ends is a problem of the Application that uses it, and keeps no other from being checked.
func TestRunawayDefinitionIsRefused(t *testing.T) {
	const endless = `import "list"
let many = list.Range(0, 2000, 1)
parameters: {image?: string, size: *len([for a in many for b in many for c in many if a+b+c < 0 {a}]) | int}
outputs: []`
	hub := hubWith(t, componentDefinition("endless", endless), componentDefinition("web", webSource))
	evaluator := evaluate.New(evaluate.Options{Size: 1, Deadline: time.Second, SlowAfter: 100 * time.Millisecond})
	t.Cleanup(evaluator.Close)
	for typ, want := range map[string]string{"endless": condition.ReasonEvaluationExceeded, "web": ""} {
		app := applicationWith(typ)
		found, problems, err := hub.loadDefinitions(t.Context(), app)
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		problems, err = checkComponents(t.Context(), app, found, evaluator)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(problems) > 0 {
			got = problems[0].reason
		}
		if got != want {
			t.Errorf("%s: got %v, want reason %q", typ, problems, want)
		}
	}
}

// What a directive will bring is not known on the hub; everything else is checked all the same.
func TestDirectivesAreNotChecked(t *testing.T) {
	hub := hubWith(t, componentDefinition("web", webSource), traitDefinition("label", "", labelSource))
	for name, tc := range map[string]struct{ properties, want string }{
		"open":         {`{"image":{"fromSource":"settings.image"}}`, ""},
		"and unknown":  {`{"image":{"fromSource":"settings.image"},"imgae":"x"}`, `unknown parameter "imgae"`},
		"and missing":  {`{"port":{"fromParameter":"port"}}`, `missing required parameter "image"`},
		"no directive": {`{"image":{"fromSource":"settings"}}`, `fromSource "settings" has no path`},
	} {
		t.Run(name, func(t *testing.T) {
			app := applicationWith("web", trait("label", `{"team":{"fromDependency":"db.team"}}`))
			app.Spec.Components[0].Properties.Raw = []byte(tc.properties)
			found, _, err := hub.loadDefinitions(t.Context(), app)
			if err != nil {
				t.Fatal(err)
			}
			problems, err := checkComponents(t.Context(), app, found, hub.checker)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(problems) > 0 {
				got = summarize(problems).message
			}
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q in it", got, tc.want)
			}
		})
	}
}

// Parameters of the Application stand where properties name them, before anything is checked or dispatched.
func TestParametersAreResolved(t *testing.T) {
	app := applicationWith("web", trait("label", `{"team":{"fromParameter":"team"}}`))
	app.Spec.Parameters = &runtime.RawExtension{Raw: []byte(`{"team":"a","image":"b"}`)}
	app.Spec.Components[0].Properties.Raw = []byte(`{"image":{"fromParameter":"image"},"other":{"fromSource":"x.y"}}`)
	resolved, problems := withParameters(app)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	component := resolved.Spec.Components[0]
	if got := string(component.Properties.Raw) + string(component.Traits[0].Properties.Raw); got != `{"image":"b","other":{"fromSource":"x.y"}}{"team":"a"}` {
		t.Errorf("got %s", got)
	}
	app.Spec.Parameters = nil
	_, problems = withParameters(app)
	if len(problems) != 2 || !strings.Contains(problems[0].message, `component "front": property "image" takes its value fromParameter: image: there is no parameter "image"`) {
		t.Errorf("got %v", problems)
	}
	if usesParameters(applicationWith("web")) {
		t.Error("an Application without directives is copied")
	}
}

// The definitions of components that a definition makes are found, checked, locked and sent along, however far within.
func TestCompositionsTravelWhole(t *testing.T) {
	const stack = `parameters: {image?: string}
outputs: [{name: "inner", type: "component", value: {type: "inner", traits: [{type: "label", properties: team: "a"}]}}]`
	const inner = `outputs: [{name: "web", type: "component", value: {type: "web", properties: image: "b"}}]`
	hub := hubWith(t, componentDefinition("stack", stack), componentDefinition("inner", inner), componentDefinition("web", webSource),
		traitDefinition("label", "", strings.Replace(labelSource, `appliesTo: ["web"]`, "", 1)),
		componentDefinition("lost", strings.Replace(stack, `type: "inner"`, `type: "inn"`, 1)),
		componentDefinition("sick", strings.Replace(stack, `type: "inner"`, `type: "broken"`, 1)), componentDefinition("broken", "outputs: ["))
	app := applicationWith("stack")
	found, problems, err := hub.loadDefinitions(t.Context(), app)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if problems, err := checkComponents(t.Context(), app, found, hub.checker); err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	locked, err := hub.lockDefinitions(t.Context(), app, found)
	if err != nil || len(locked.components) != 3 || len(locked.traits) != 1 || locked.components[0].Type != "stack" {
		t.Errorf("got locks %+v, %v", locked, err)
	}
	snapshot := found.snapshot(app.Spec.Components[0])
	var types []string
	for _, one := range snapshot.Components {
		types = append(types, one.Type)
	}
	if !slices.Equal(types, []string{"inner", "web"}) || len(snapshot.Traits) != 1 || snapshot.Traits[0].Type != "label" {
		t.Errorf("%v and %d traits are sent along", types, len(snapshot.Traits))
	}
	for typ, want := range map[string]string{
		"lost": `component "front": definition lost makes components of type inn: no ComponentDefinition is named inn`,
		"sick": "ComponentDefinition broken is broken: broken/template.cue:1:",
	} {
		found, problems, err := hub.loadDefinitions(t.Context(), applicationWith(typ))
		if err == nil && len(problems) == 0 {
			problems, err = checkComponents(t.Context(), applicationWith(typ), found, hub.checker)
		}
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].message, want) {
			t.Errorf("%s: got %v, %v, want %s", typ, problems, err, want)
		}
	}
}

// An edit of a trait definition rolls nothing until the Application's spec changes.
func TestTraitsAreLocked(t *testing.T) {
	def := traitDefinition("label", "", labelSource)
	hub := hubWith(t, componentDefinition("web", webSource), def)
	app := applicationWith("web", trait("label", `{"team":"a"}`))
	dispatched := func() string {
		t.Helper()
		found, problems, err := hub.loadDefinitions(t.Context(), app)
		if err != nil || len(problems) > 0 {
			t.Fatalf("loadDefinitions: %v, %v", problems, err)
		}
		locked, err := hub.lockDefinitions(t.Context(), app, found)
		if err != nil {
			t.Fatal(err)
		}
		app.Status.DefinitionLocks, app.Status.TraitLocks = locked.components, locked.traits
		app.Status.AcceptedGeneration = app.Generation
		built, err := buildComponent(app, app.Spec.Components[0], found.snapshot(app.Spec.Components[0]))
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(built.Object["spec"])
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	first := dispatched()
	for _, part := range []string{`"traits":[{"properties":{"team":"a"},"type":"label"}]`, `"name":"label"`, `metadata: labels: team`} {
		if !strings.Contains(first, part) {
			t.Errorf("%s is not dispatched: %s", part, first)
		}
	}
	def.Spec.Files["template.cue"] = strings.Replace(labelSource, "labels:", "annotations:", 1)
	if err := hub.hubClient.Update(t.Context(), def); err != nil {
		t.Fatal(err)
	}
	if again := dispatched(); again != first {
		t.Errorf("an edit of the definition rolls: %s", again)
	}
	lock := app.Status.TraitLocks[0]
	app.Generation++
	if changed := dispatched(); !strings.Contains(changed, "metadata: annotations: team") || app.Status.TraitLocks[0].Hash == lock.Hash {
		t.Errorf("a new spec does not adopt the definition: %s", changed)
	}
	if err := hub.dropUnlocked(t.Context(), app, locksOf(app.Status).all()); err != nil {
		t.Fatal(err)
	}
	kept := &appsv1.ControllerRevisionList{}
	if err := hub.hubClient.List(t.Context(), kept); err != nil || len(kept.Items) != 2 {
		t.Errorf("got %d ControllerRevisions, %v; want those of the component and of the trait", len(kept.Items), err)
	}
}

// The content of a Component is contract: without traits it is what it always was.
func TestComponentWithoutTraitsIsUnchanged(t *testing.T) {
	app := applicationWith("web")
	hub := hubWith(t, componentDefinition("web", webSource))
	found, _, err := hub.loadDefinitions(t.Context(), app)
	if err != nil {
		t.Fatal(err)
	}
	built, err := buildComponent(app, app.Spec.Components[0], found.snapshot(app.Spec.Components[0]))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(built.Object)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(encoded), "traits") || strings.Contains(string(encoded), "phase") {
		t.Errorf("got %s", encoded)
	}
}
