package conformance

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// record reads the work's AppliedManifestWork.
func (r *row) record(name string) (*workv1.AppliedManifestWork, error) {
	record := &workv1.AppliedManifestWork{}
	return record, spoke.Get(r.Context(), client.ObjectKey{Name: r.recordName(name)}, record)
}

func (r *row) mustRecord(name string) *workv1.AppliedManifestWork {
	r.Helper()
	record, err := r.record(name)
	r.must(err)
	return record
}

// awaitRecord waits until the work's record satisfies all checks, and returns it.
func (r *row) awaitRecord(name string, checks ...func(*workv1.AppliedManifestWork) error) *workv1.AppliedManifestWork {
	r.Helper()
	var record *workv1.AppliedManifestWork
	r.await("record of work "+name, func() (err error) {
		if record, err = r.record(name); err != nil {
			return err
		}
		return all(record, checks)
	})
	return record
}

func (r *row) awaitRecordGone(name string) {
	r.Helper()
	r.await("record of work "+name, func() error {
		record, err := r.record(name)
		return gone(record, err)
	})
}

// live reads from the spoke the object that the manifest describes.
func (r *row) live(manifest object) (object, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(manifest.GroupVersionKind())
	return live, spoke.Get(r.Context(), client.ObjectKeyFromObject(manifest), live)
}

func (r *row) mustLive(manifest object) object {
	r.Helper()
	live, err := r.live(manifest)
	r.must(err)
	return live
}

// awaitLive waits until the object is on the spoke and satisfies all checks.
func (r *row) awaitLive(manifest object, checks ...func(object) error) object {
	r.Helper()
	var live object
	r.await(manifest.GetKind()+" "+manifest.GetName(), func() (err error) {
		if live, err = r.live(manifest); err != nil {
			return err
		}
		return all(live, checks)
	})
	return live
}

func (r *row) awaitLiveGone(manifest object) {
	r.Helper()
	r.await(manifest.GetKind()+" "+manifest.GetName(), func() error {
		live, err := r.live(manifest)
		return gone(live, err)
	})
}

// mustNotLive fails the row when the object is on the spoke.
func (r *row) mustNotLive(manifest object) {
	r.Helper()
	live, err := r.live(manifest)
	r.must(gone(live, err))
}

// edit merges fields into an object on the spoke, as somebody other than the agent.
func (r *row) edit(manifest object, fields map[string]any) {
	r.Helper()
	r.must(spoke.Patch(r.Context(), manifest.DeepCopy(), mergePatch(fields)))
}

// report merges fields into the status of an object on the spoke, as its controller would.
func (r *row) report(manifest object, status map[string]any) {
	r.Helper()
	r.must(spoke.Status().Patch(r.Context(), manifest.DeepCopy(), mergePatch(map[string]any{"status": status})))
}

func mergePatch(fields map[string]any) client.Patch {
	encoded, err := json.Marshal(fields)
	if err != nil {
		panic(err) // literals of the rows
	}
	return client.RawPatch("application/merge-patch+json", encoded)
}
