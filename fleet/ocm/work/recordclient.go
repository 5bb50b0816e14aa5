package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	workclient "open-cluster-management.io/api/client/work/clientset/versioned/typed/work/v1"
	worklister "open-cluster-management.io/api/client/work/listers/work/v1"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/mergepatch"
)

// recordClient keeps the AppliedManifestWorks, the agent's records on the spoke.
type recordClient struct {
	client  workclient.AppliedManifestWorkInterface
	lister  worklister.AppliedManifestWorkLister
	hubHash string
	agentID string
}

// nameFor is the name of the record of a work of this agent's hub.
func (c *recordClient) nameFor(work string) string { return c.hubHash + "-" + work }

// workOf is the work that a record of that name is for; empty when it is another hub's.
func (c *recordClient) workOf(record string) string {
	work, ours := strings.CutPrefix(record, c.hubHash+"-")
	if !ours {
		return ""
	}
	return work
}

// find returns the record of a work. The cache may not know yet what was just created, so that
// only the API server's word counts for a record that is not there.
func (c *recordClient) find(ctx context.Context, work string) (*workv1.AppliedManifestWork, error) {
	record, err := c.lister.Get(c.nameFor(work))
	if apierrors.IsNotFound(err) {
		return c.client.Get(ctx, c.nameFor(work), metav1.GetOptions{})
	}
	return record, err
}

// ensure returns the record of a work, made or put right if need be. A record takes over the
// labels that its work has when it is made, and no later ones.
func (c *recordClient) ensure(ctx context.Context, work *manifestWork) (*workv1.AppliedManifestWork, error) {
	want := workv1.AppliedManifestWorkSpec{HubHash: c.hubHash, AgentID: c.agentID, ManifestWorkName: work.Name}
	record, err := c.lister.Get(c.nameFor(work.Name))
	if apierrors.IsNotFound(err) {
		record, err = c.create(ctx, work, want)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot record work %s on the spoke: %w", work.Name, err)
	}
	if record.Spec == want {
		return record, nil
	}
	patch, err := mergepatch.Spec(record, want)
	if err != nil {
		return nil, err
	}
	return c.client.Patch(ctx, record.Name, types.MergePatchType, patch, metav1.PatchOptions{})
}

func (c *recordClient) create(ctx context.Context, work *manifestWork, spec workv1.AppliedManifestWorkSpec) (*workv1.AppliedManifestWork, error) {
	record, err := c.client.Create(ctx, &workv1.AppliedManifestWork{
		ObjectMeta: metav1.ObjectMeta{
			Name:       c.nameFor(work.Name),
			Labels:     work.Labels,
			Finalizers: []string{workv1.AppliedManifestWorkFinalizer},
		},
		Spec: spec,
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return c.client.Get(ctx, c.nameFor(work.Name), metav1.GetOptions{})
	}
	return record, err
}

// setApplied records the objects.
func (c *recordClient) setApplied(ctx context.Context, record *workv1.AppliedManifestWork, resources []workv1.AppliedManifestResourceMeta) error {
	status := *record.Status.DeepCopy()
	status.AppliedResources = resources
	return c.setStatus(ctx, record, status)
}

// setEvictionStart records since when the record has been without a work; nil means that it has one.
func (c *recordClient) setEvictionStart(ctx context.Context, record *workv1.AppliedManifestWork, start *metav1.Time) error {
	status := *record.Status.DeepCopy()
	status.EvictionStartTime = start
	return c.setStatus(ctx, record, status)
}

func (c *recordClient) setStatus(ctx context.Context, record *workv1.AppliedManifestWork, status workv1.AppliedManifestWorkStatus) error {
	if equality.Semantic.DeepEqual(record.Status, status) {
		return nil
	}
	patch, err := mergepatch.Status(record, record.Status, status)
	if err != nil {
		return err
	}
	_, err = c.client.Patch(ctx, record.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// delete asks for the end of the record; it stays until its objects have gone.
func (c *recordClient) delete(ctx context.Context, record *workv1.AppliedManifestWork) error {
	return ignoreNotFound(c.client.Delete(ctx, record.Name, metav1.DeleteOptions{}))
}

// release lets the record go.
func (c *recordClient) release(ctx context.Context, record *workv1.AppliedManifestWork) error {
	left := slices.DeleteFunc(slices.Clone(record.Finalizers), func(finalizer string) bool {
		return finalizer == workv1.AppliedManifestWorkFinalizer
	})
	patch, err := mergepatch.Metadata(record, "finalizers", left)
	if err != nil {
		return err
	}
	_, err = c.client.Patch(ctx, record.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return ignoreNotFound(err)
}
