package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// patience is how long a row waits for what must happen. OCM's agent backs off after errors, so
// that what needs a few tries may take it half a minute.
const patience = time.Minute

// await waits until the check finds nothing wrong, and else fails with what it found last and
// with all works and records of the row.
func (r *row) await(what string, check func() error) {
	r.Helper()
	var last error
	err := wait.PollUntilContextTimeout(r.Context(), 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		r.Fatalf("%s: %v\n%s", what, last, r.dump())
	}
}

// must fails the row on an error.
func (r *row) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatalf("%v\n%s", err, r.dump())
	}
}

// create makes the work on the hub, and sees to it that it goes with the row.
func (r *row) create(w manifestWork) {
	r.Helper()
	work := newObject("work.open-cluster-management.io/v1", "ManifestWork", r.cluster, w.name, map[string]any{"spec": w.spec()})
	work.SetLabels(w.labels)
	work.SetAnnotations(w.annotations)
	r.must(r.hub.Create(r.Context(), work))
	hub := r.hub
	r.Cleanup(func() { _ = hub.Delete(context.Background(), work) })
}

// update gives the work another spec, labels and annotations.
func (r *row) update(w manifestWork) {
	r.Helper()
	r.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		work := newObject("work.open-cluster-management.io/v1", "ManifestWork", "", "", nil)
		if err := r.hub.Get(r.Context(), r.key(w.name), work); err != nil {
			return err
		}
		work.Object["spec"] = w.spec()
		work.SetLabels(w.labels)
		work.SetAnnotations(w.annotations)
		return r.hub.Update(r.Context(), work)
	}))
}

func (r *row) key(work string) client.ObjectKey {
	return client.ObjectKey{Namespace: r.cluster, Name: work}
}

// delete asks for the end of the work.
func (r *row) delete(name string) {
	r.Helper()
	r.must(r.hub.Delete(r.Context(), &workv1.ManifestWork{ObjectMeta: metav1.ObjectMeta{Namespace: r.cluster, Name: name}}))
}

// forceDelete removes the work without the agent's consent, as a restore of the hub may.
func (r *row) forceDelete(name string) {
	r.Helper()
	r.delete(name)
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
	work := &workv1.ManifestWork{ObjectMeta: metav1.ObjectMeta{Namespace: r.cluster, Name: name}}
	r.must(client.IgnoreNotFound(r.hub.Patch(r.Context(), work, patch)))
	r.awaitGone(name)
}

// work reads the work.
func (r *row) work(name string) (*workv1.ManifestWork, error) {
	work := &workv1.ManifestWork{}
	return work, r.hub.Get(r.Context(), r.key(name), work)
}

// mustWork reads a work that is there.
func (r *row) mustWork(name string) *workv1.ManifestWork {
	r.Helper()
	work, err := r.work(name)
	r.must(err)
	return work
}

// awaitWork waits until the work satisfies all checks, and returns it.
func (r *row) awaitWork(name string, checks ...func(*workv1.ManifestWork) error) *workv1.ManifestWork {
	r.Helper()
	var work *workv1.ManifestWork
	r.await("work "+name, func() (err error) {
		if work, err = r.work(name); err != nil {
			return err
		}
		return all(work, checks)
	})
	return work
}

func all[T any](subject T, checks []func(T) error) error {
	var errs []error
	for _, check := range checks {
		errs = append(errs, check(subject))
	}
	return errors.Join(errs...)
}

func (r *row) awaitGone(name string) {
	r.Helper()
	r.await("work "+name, func() error {
		work, err := r.work(name)
		return gone(work, err)
	})
}

func gone(object client.Object, err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s is still there", object.GetName())
}

// fence makes the agent process something that comes after all that the row did so far: when a
// fresh work of the same cluster has been applied and reported, what the agent was going to do
// about the earlier has begun long ago.
func (r *row) fence() {
	r.Helper()
	for i := range 2 {
		name := fmt.Sprintf("%s-fence-%d-%d", r.namespace, time.Now().UnixNano(), i)
		r.create(manifestWork{name: name, manifests: []object{r.configMap(name, "")}})
		r.awaitWork(name, applied(metav1.ConditionTrue), available(metav1.ConditionTrue))
		r.awaitRecord(name, recorded(name))
	}
}

// awaitNextSecond waits until a transition that happens now is told apart from one at the time.
func (r *row) awaitNextSecond(t metav1.Time) {
	r.Helper()
	r.await("the clock", func() error {
		if time.Now().Unix() <= t.Unix() {
			return errors.New("it is still that second")
		}
		return nil
	})
}

// dump shows the works of the row and their records.
func (r *row) dump() string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var works workv1.ManifestWorkList
	var records workv1.AppliedManifestWorkList
	text := ""
	if err := r.hub.List(ctx, &works, client.InNamespace(r.cluster)); err != nil {
		text += err.Error()
	}
	if err := spoke.List(ctx, &records); err != nil {
		text += err.Error()
	}
	for _, work := range works.Items {
		text += r.dumpIfOurs(work.Name, &work)
	}
	for _, record := range records.Items {
		text += r.dumpIfOurs(record.Spec.ManifestWorkName, &record)
	}
	return text
}

func toJSON(value any) any {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // literals of the rows
	}
	var decoded any
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		panic(err)
	}
	return decoded
}

func (r *row) dumpIfOurs(work string, subject client.Object) string {
	if len(work) < len(r.namespace) || work[:len(r.namespace)] != r.namespace {
		return ""
	}
	subject.SetManagedFields(nil)
	encoded, err := yaml.Marshal(subject)
	if err != nil {
		return err.Error()
	}
	return "---\n" + string(encoded)
}

func keyOf(object client.Object) client.ObjectKey { return client.ObjectKeyFromObject(object) }

// addCondition writes a condition of somebody else to the work's status.
func (r *row) addCondition(name, kind string) {
	r.Helper()
	r.must(retry.RetryOnConflict(wait.Backoff{Steps: 100, Duration: time.Millisecond, Jitter: 1}, func() error {
		work, err := r.work(name)
		if err != nil {
			return err
		}
		meta.SetStatusCondition(&work.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: "Test"})
		return r.hub.Status().Update(r.Context(), work)
	}))
}
