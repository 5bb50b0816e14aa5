package resourceversion

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLatest(t *testing.T) {
	var l Latest[metav1.Object]
	cached, written := at("a", "5"), at("a", "7")
	if l.Of(cached) != cached {
		t.Error("nothing was written")
	}
	l.Note(written)
	if l.Of(cached) != written {
		t.Error("a cache behind our write is believed")
	}
	other := at("b", "5")
	if l.Of(other) != other {
		t.Error("our write of one object is taken for another")
	}
	newer := at("a", "8")
	if l.Of(newer) != newer || l.Of(cached) != cached {
		t.Error("what the cache has caught up with is kept")
	}
	l.Note(written)
	l.Forget("a")
	if l.Of(cached) != cached || len(l.objects) != 0 {
		t.Error("what was forgotten is kept")
	}
}
