package resourceversion

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func at(uid types.UID, version string) metav1.Object {
	return &metav1.ObjectMeta{UID: uid, ResourceVersion: version}
}

func TestWritten(t *testing.T) {
	var w Written
	if w.AheadOf(at("a", "5")) {
		t.Error("nothing was written")
	}
	w.Note(at("a", "7"))
	if !w.AheadOf(at("a", "6")) || w.AheadOf(at("b", "6")) {
		t.Error("a cache behind our write is not told from one of another object")
	}
	if w.AheadOf(at("a", "8")) || w.AheadOf(at("a", "6")) {
		t.Error("what the cache has caught up with is remembered")
	}
	w.Note(at("a", "9"))
	w.Forget("a")
	if w.AheadOf(at("a", "8")) || len(w.versions) != 0 {
		t.Error("what was forgotten is remembered")
	}
}
