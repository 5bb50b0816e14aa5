package definition

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func TestHash(t *testing.T) {
	base := Definition{Name: "web", APIVersion: "v1", Version: "1.0.0", Files: map[string]string{"a.cue": "x: 1", "b.cue": "y: 2"}}
	with := func(change func(*Definition)) Definition {
		changed := base
		changed.Files = map[string]string{"a.cue": "x: 1", "b.cue": "y: 2"}
		change(&changed)
		return changed
	}
	for name, same := range map[string]Definition{
		"name":    with(func(d *Definition) { d.Name = "other" }),
		"version": with(func(d *Definition) { d.Version = "2.0.0" }),
	} {
		if same.Hash() != base.Hash() {
			t.Errorf("the %s is no content, but changes the hash", name)
		}
	}
	for name, other := range map[string]Definition{
		"API line":               with(func(d *Definition) { d.APIVersion = "v2" }),
		"content":                with(func(d *Definition) { d.Files["a.cue"] = "x: 2" }),
		"file name":              with(func(d *Definition) { d.Files = map[string]string{"c.cue": "x: 1", "b.cue": "y: 2"} }),
		"one file less":          with(func(d *Definition) { delete(d.Files, "b.cue") }),
		"content in other files": with(func(d *Definition) { d.Files = map[string]string{"a.cue": "x: 1b.cuey: 2"} }),
	} {
		if other.Hash() == base.Hash() {
			t.Errorf("the %s does not change the hash", name)
		}
	}
	// The hub locks definitions by this value: it must stay what it is for as long as its prefix does.
	if got, want := base.Hash(), "d1-a1e4e50afa2b24d2b2b662ec7eab5ce2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFromObjectAndSnapshot(t *testing.T) {
	object := &corev1alpha1.ComponentDefinition{}
	object.Name = "web"
	object.Spec.Files = map[string]string{"template.cue": "x", "web_test.cue": "tests"}
	object.Spec.Version = "1.2.3"

	got := FromObject(object)
	want := Definition{Name: "web", APIVersion: "v1", Version: "1.2.3", Files: map[string]string{"template.cue": "x"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("FromObject (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, FromSnapshot(got.Snapshot())); diff != "" {
		t.Errorf("FromSnapshot(Snapshot) (-want +got):\n%s", diff)
	}
	got.Snapshot().Files["template.cue"] = "changed"
	if got.Files["template.cue"] != "x" {
		t.Error("the snapshot shares memory with the definition")
	}
}

func TestFromDirectory(t *testing.T) {
	files := fstest.MapFS{
		"component/web/template.cue":       {Data: []byte("outputs: []")},
		"component/web/health.cue":         {Data: []byte("isHealthy: true")},
		"component/web/web_test.cue":       {Data: []byte("tests")},
		"component/web/README.md":          {Data: []byte("words")},
		"component/web/tests/a_test.cue":   {Data: []byte("tests")},
		"component/empty/only_a_test.cue":  {Data: []byte("tests")},
		"component/other/template.cue/dir": {Data: []byte("a directory of that name")},
	}
	got, err := FromDirectory(files, "component/web")
	if err != nil {
		t.Fatalf("FromDirectory: %v", err)
	}
	want := Definition{Name: "web", APIVersion: "v1", Files: map[string]string{"template.cue": "outputs: []", "health.cue": "isHealthy: true"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("definition (-want +got):\n%s", diff)
	}
	for _, dir := range []string{"component/empty", "component/other", "component/absent"} {
		if _, err := FromDirectory(files, dir); err == nil {
			t.Errorf("%s was read as a definition", dir)
		}
	}
}

func TestDefinitionsSayTheirAPILine(t *testing.T) {
	cue := &fstest.MapFile{Data: []byte("outputs: []")}
	files := fstest.MapFS{
		"component/plain/a.cue": cue, "component/web-v2/a.cue": cue, "component/web-v2beta1/a.cue": cue, "component/web-v0/a.cue": cue,
		"component/said/a.cue": cue, "component/said/definition.yaml": {Data: []byte("apiVersion: v3\nversion: 1.4.2\n")},
		"component/other-v2/a.cue": cue, "component/other-v2/definition.yaml": {Data: []byte("apiVersion: v3\n")},
		"component/version-v2/a.cue": cue, "component/version-v2/definition.yaml": {Data: []byte("version: x\n")},
		"component/empty/a.cue": cue, "component/empty/definition.yaml": {Data: []byte("# nothing\n")},
	}
	for name, want := range map[string]string{
		"plain": "v1", "web-v2": "v2", "web-v2beta1": "v2beta1", "web-v0": "v1", "said": "v3 1.4.2", "other-v2": "v3", "version-v2": "v2 x", "empty": "v1",
	} {
		got, err := FromDirectory(files, "component/"+name)
		if err != nil || strings.TrimSpace(got.APIVersion+" "+got.Version) != want {
			t.Errorf("%s: got line %s, version %s, %v, want %s", name, got.APIVersion, got.Version, err, want)
		}
	}
}

func TestMetadataIsRefusedWhereItIsWrong(t *testing.T) {
	for content, want := range map[string]string{
		"apiVersion: 2":      `d/definition.yaml: apiVersion "2" is no API line: write one such as v1 or v2beta1`,
		"apiVersion: ''":     `apiVersion "" is no API line`,
		"apiversions: v1":    "d/definition.yaml may hold apiVersion, version, phase and appliesTo:",
		"[":                  "d/definition.yaml may hold",
		"phase: soon":        `d/definition.yaml: phase is "soon": write pre, default or post`,
		"phase: pre":         "d/definition.yaml says phase or appliesTo: traits alone have them",
		"appliesTo: [a]":     "traits alone have them",
		"appliesTo: a, b, c": "may hold",
	} {
		files := fstest.MapFS{"d/a.cue": {Data: []byte("outputs: []")}, "d/definition.yaml": {Data: []byte(content)}}
		if got, err := FromDirectory(files, "d"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v", content, got, err)
		}
	}
}

func TestParseReference(t *testing.T) {
	for typ, want := range map[string]struct{ line, name, object string }{
		"webservice":       {"", "webservice", "webservice"},
		"v1/webservice":    {"v1", "webservice", "webservice-v1"},
		"v2beta1/web.site": {"v2beta1", "web.site", "web.site-v2beta1"},
		"v1":               {"", "v1", "v1"},
	} {
		got, err := ParseReference(typ)
		if err != nil {
			t.Errorf("%s: %v", typ, err)
			continue
		}
		if got.Line != want.line || got.Name != want.name || got.ObjectName() != want.object || got.String() != typ {
			t.Errorf("%s: got %+v, object %s, string %s", typ, got, got.ObjectName(), got)
		}
	}
	for _, typ := range []string{"", "/", "/web", "v1/", "v0/web", "1/web", "v1/v1/web", "Web", "web-", "-web", "v1alpha/web", "web service",
		"a..b", "a.-b", strings.Repeat("a", 254), "v1/" + strings.Repeat("a", 251)} {
		if got, err := ParseReference(typ); err == nil {
			t.Errorf("%q was read as %+v", typ, got)
		}
	}
}
