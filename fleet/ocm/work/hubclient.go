package work

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/mergepatch"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

const worksResource = "manifestworks"

// hubClient reads and patches the ManifestWorks of one cluster namespace.
type hubClient struct {
	rest      rest.Interface
	namespace string
	written   resourceversion.Latest[*manifestWork]
}

func newHubClient(config *rest.Config, httpClient *http.Client, namespace string) (*hubClient, error) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(workv1.GroupVersion.WithKind("ManifestWork"), &manifestWork{})
	scheme.AddKnownTypeWithName(workv1.GroupVersion.WithKind("ManifestWorkList"), &manifestWorkList{})
	metav1.AddToGroupVersion(scheme, workv1.GroupVersion)

	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	config.GroupVersion = &schema.GroupVersion{Group: workv1.GroupVersion.Group, Version: workv1.GroupVersion.Version}
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, err
	}
	return &hubClient{rest: client, namespace: namespace}, nil
}

// informer lists and watches the works. They are indexed by the objects that they applied.
func (h *hubClient) informer() (cache.SharedIndexInformer, error) {
	source := cache.NewListWatchFromClient(h.rest, worksResource, h.namespace, fields.Everything())
	informer := cache.NewSharedIndexInformer(source, &manifestWork{}, 0, cache.Indexers{byObject: objectKeysOfWork})
	return informer, informer.SetTransform(withoutManagedFields)
}

// get reads a work past the cache.
func (h *hubClient) get(ctx context.Context, name string) (*manifestWork, error) {
	work := &manifestWork{}
	err := h.rest.Get().Namespace(h.namespace).Resource(worksResource).Name(name).Do(ctx).Into(work)
	return work, err
}

// patch sends a JSON merge patch and returns the work that it made.
func (h *hubClient) patch(ctx context.Context, name string, patch []byte, subresources ...string) (*manifestWork, error) {
	work := &manifestWork{}
	err := h.rest.Patch(types.MergePatchType).Namespace(h.namespace).Resource(worksResource).
		Name(name).SubResource(subresources...).Body(patch).Do(ctx).Into(work)
	if err != nil {
		return nil, err
	}
	work.ManagedFields = nil // as in the cache
	if len(work.Finalizers) > 0 {
		h.written.Note(work) // a deleted work whose last finalizer went is not to be remembered
	}
	return work, nil
}

// statusAttempts is how often a status is written before its conflicts count as an error.
const statusAttempts = 5

// updateStatus writes the status that next makes of the work, if it differs. When somebody else
// has written since the work was read, next is asked again with what they wrote, as long as the
// work is still of the same generation: what the caller found out is about that one.
func (h *hubClient) updateStatus(
	ctx context.Context, work *manifestWork, next func(current *manifestWork) workv1.ManifestWorkStatus,
) error {
	var conflict error
	for range statusAttempts {
		status := next(work)
		if equality.Semantic.DeepEqual(work.Status, status) {
			return nil
		}
		patch, err := mergepatch.Status(work, work.Status, status)
		if err != nil {
			return err
		}
		_, conflict = h.patch(ctx, work.Name, patch, "status")
		if !apierrors.IsConflict(conflict) {
			return ignoreNotFound(conflict)
		}
		current, err := h.get(ctx, work.Name)
		if err != nil {
			return ignoreNotFound(err)
		}
		if current.UID != work.UID || current.Generation != work.Generation {
			return conflict
		}
		work = current
	}
	return conflict
}

// workLister reads works from the informer's store, or as the agent's own last write left them.
type workLister struct {
	store     cache.Store
	namespace string
	written   *resourceversion.Latest[*manifestWork]
}

// get returns the newest work known, nil when there is none. The work must not be changed.
func (l workLister) get(name string) *manifestWork {
	item, found, err := l.store.GetByKey(l.namespace + "/" + name)
	if err != nil || !found {
		return nil
	}
	return l.written.Of(item.(*manifestWork))
}
