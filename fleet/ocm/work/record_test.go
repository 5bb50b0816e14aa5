package work

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	workv1 "open-cluster-management.io/api/work/v1"
)

func TestNoLongerIn(t *testing.T) {
	resource := func(version, name, uid string) workv1.AppliedManifestResourceMeta {
		return workv1.AppliedManifestResourceMeta{
			ResourceIdentifier: workv1.ResourceIdentifier{Group: "apps", Resource: "deployments", Namespace: "n", Name: name},
			Version:            version, UID: uid,
		}
	}
	recorded := []workv1.AppliedManifestResourceMeta{resource("v1beta1", "a", "1"), resource("v1", "b", "2"), resource("v1", "c", "3")}
	current := []workv1.AppliedManifestResourceMeta{resource("v1", "a", "1"), resource("v1", "b", "9")}
	want := []workv1.AppliedManifestResourceMeta{resource("v1", "c", "3")}
	if diff := cmp.Diff(want, noLongerIn(current, recorded)); diff != "" {
		t.Errorf("neither another version nor another UID makes another object (-want +got):\n%s", diff)
	}
}

func TestSortRecorded(t *testing.T) {
	resource := func(group, version, resource, namespace, name string) workv1.AppliedManifestResourceMeta {
		return workv1.AppliedManifestResourceMeta{
			ResourceIdentifier: workv1.ResourceIdentifier{Group: group, Resource: resource, Namespace: namespace, Name: name},
			Version:            version,
		}
	}
	got := []workv1.AppliedManifestResourceMeta{
		resource("b", "v1", "x", "n", "n"), resource("a", "v2", "x", "n", "n"), resource("a", "v1", "y", "n", "n"),
		resource("a", "v1", "x", "o", "n"), resource("a", "v1", "x", "n", "o"), resource("a", "v1", "x", "n", "n"),
	}
	sortRecorded(got)
	want := []workv1.AppliedManifestResourceMeta{
		resource("a", "v1", "x", "n", "n"), resource("a", "v1", "x", "n", "o"), resource("a", "v1", "x", "o", "n"),
		resource("a", "v1", "y", "n", "n"), resource("a", "v2", "x", "n", "n"), resource("b", "v1", "x", "n", "n"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
