package dispatch

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
)

// A changed hash of unchanged content would rewrite every work of every fleet at the next upgrade of the hub.
func TestHashIsStableAcrossReleases(t *testing.T) {
	got := content(t, component("shop-web", map[string]any{"image": "web:1", "port": int64(80)})).Hash()
	const want = "v1:6b0c796bf2533583b0cf693f8fad43ab97a6a6dafed48b7e55df3c97b4f4d74a"
	if got != want {
		t.Errorf("the canonical form v1 has changed: got %s, want %s; a new form needs a new version", got, want)
	}
}

func TestHashTellsContentsApart(t *testing.T) {
	base := content(t, component("shop-web", map[string]any{"image": "web:1"}))
	same := component("shop-web", map[string]any{"image": "web:1"})
	if err := unstructured.SetNestedField(same.Object, "r1", "spec", "revision"); err != nil {
		t.Fatal(err)
	}
	if !base.Is(content(t, same).Hash()) {
		t.Error("a revision is not content, but it changed the hash")
	}
	for name, other := range map[string]*unstructured.Unstructured{
		"Properties": component("shop-web", map[string]any{"image": "web:2"}),
		"Type":       component("shop-web", map[string]any{"image": 1.0}),
		"Name":       component("shop-api", map[string]any{"image": "web:1"}),
	} {
		if base.Is(content(t, other).Hash()) {
			t.Errorf("%s: other content has the same hash", name)
		}
	}
	if base.Is("v0:" + base.digest) {
		t.Error("a hash of another canonical form is taken for this one")
	}
}

func TestCheckSize(t *testing.T) {
	fits := func(n int) error {
		return content(t, component("shop-web", map[string]any{"blob": strings.Repeat("x", n)})).CheckSize()
	}
	if err := fits(500_000); err != nil {
		t.Errorf("500,000 bytes of payload fit: %v", err)
	}
	var tooLarge *TooLargeError
	if err := fits(512_000); !errors.As(err, &tooLarge) || !strings.Contains(err.Error(), "Component shop/shop-web") || !strings.Contains(err.Error(), "512000") {
		t.Errorf("512,000 bytes and what is around them are too many, and the error names object and limit; got %v", err)
	}
	if tooLarge.Size <= MaxManifestBytes {
		t.Errorf("the error names size %d", tooLarge.Size)
	}
}

func TestNewContentRefusesTheNameless(t *testing.T) {
	if _, err := NewContent(&unstructured.Unstructured{Object: map[string]any{"kind": "Component"}}, components); err == nil {
		t.Error("an object without a name was taken")
	}
}

func TestRevisionIsDrawnAnewForContentThatReturns(t *testing.T) {
	c := content(t, component("shop-web", nil))
	seen := sets.New[string]()
	for range 1000 {
		r := newRevision(c)
		if !regexp.MustCompile(`^[a-z0-9]+$`).MatchString(r) || len(r) != revisionLength {
			t.Fatalf("revision %q is not %d lower-case letters and digits", r, revisionLength)
		}
		seen.Insert(r)
	}
	if seen.Len() != 1000 {
		t.Errorf("1000 revisions of one content hold %d values", seen.Len())
	}
}

func TestWorkNamesDoNotCollide(t *testing.T) {
	names := sets.New[string]()
	objects := [][3]string{
		{"Component", "a", "b-c"}, {"Component", "a-b", "c"}, {"Component", "", "a-b-c"}, {"Namespace", "", "a-b-c"},
		{"Component", "a", "b.c"}, {"Component", "a", strings.Repeat("x", 63)}, {"Component", "a", strings.Repeat("x", 62) + "y"},
		{"ValdRelease", "a", "b-c"}, {"Component", "a", strings.Repeat("x", 39) + "-" + strings.Repeat("y", 20)},
	}
	for _, o := range objects {
		name := WorkName(o[0], o[1], o[2])
		names.Insert(name)
		if !regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`).MatchString(name) || len(name) > 188 {
			t.Errorf("%v gives %q, which is no name for a work", o, name)
		}
	}
	if names.Len() != len(objects) {
		t.Errorf("%d objects share %d names: %v", len(objects), names.Len(), sets.List(names))
	}
}
