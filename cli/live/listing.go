package live

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// place is what one list is about.
type place struct {
	kind      schema.GroupVersionKind
	namespace string
}

// listing is one list, and the objects that it is to show.
type listing struct {
	place
	// nodes by the Component that owns them, and name.
	nodes  map[[2]string]*Node
	owners []string
}

type listings map[place]*listing

func (l listings) add(kind schema.GroupVersionKind, owner, node *Node) {
	where := place{kind: kind, namespace: node.Namespace}
	if l[where] == nil {
		l[where] = &listing{place: where, nodes: map[[2]string]*Node{}}
	}
	uid := string(owner.UID)
	l[where].nodes[[2]string{uid, node.Name}] = node
	if !slices.Contains(l[where].owners, uid) {
		l[where].owners = append(l[where].owners, uid)
	}
}

func (l listings) sorted() []*listing {
	return slices.SortedFunc(maps.Values(l), func(a, b *listing) int {
		return cmp.Or(strings.Compare(a.kind.String(), b.kind.String()), strings.Compare(a.namespace, b.namespace))
	})
}

// what names the objects of the listing.
func (l *listing) what() string {
	if l.namespace == "" {
		return fmt.Sprintf("objects of kind %s", l.kind.GroupKind())
	}
	return fmt.Sprintf("objects of kind %s in namespace %s", l.kind.GroupKind(), l.namespace)
}

// fill reads the objects of a listing. Those that it does not show are looked up, as far as they are few.
func (r *reading) fill(ctx context.Context, wanted *listing) error {
	found, err := list(ctx, r.reader, wanted)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range found {
		owner := found[i].GetLabels()[corev1alpha1.ComponentUIDLabel]
		if node := wanted.nodes[[2]string{owner, found[i].GetName()}]; node != nil {
			node.take(&found[i])
		}
	}
	for _, node := range wanted.nodes {
		switch {
		case node.Health != "":
		case err != nil:
			node.Health, node.Message = Unreadable, refusal(wanted.what(), err)
		default:
			r.look(ctx, wanted.kind, node)
		}
	}
	return ctx.Err()
}

// look tells an object that is gone from one that is somebody else's.
func (r *reading) look(ctx context.Context, kind schema.GroupVersionKind, node *Node) {
	node.Health = Missing
	if r.looks == maxLooks {
		return
	}
	r.looks++
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(kind)
	err := r.reader.Get(ctx, client.ObjectKey{Namespace: node.Namespace, Name: node.Name}, found)
	switch {
	case apierrors.IsNotFound(err) && node.once:
		node.Health, node.Message = Ended, "it was applied once, and somebody has deleted it since"
	case apierrors.IsNotFound(err):
	case err != nil:
		node.Message = "its labels may have been removed: " + refusal("the object by its name", err)
	case slices.ContainsFunc(object.Sharers(found.Annotations), func(sharer object.Owner) bool { return sharer.UID == node.owner }):
		r.takeShared(ctx, found, node)
	default:
		node.Health, node.Message = Foreign, "it is there, but its labels do not say that it is this Component's"
	}
}

// takeShared reads an object that the Component shares with the one that owns it.
func (r *reading) takeShared(ctx context.Context, found *metav1.PartialObjectMetadata, node *Node) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(found.GroupVersionKind())
	if err := r.reader.Get(ctx, client.ObjectKeyFromObject(found), live); err != nil {
		node.Health, node.Message = Unreadable, refusal("the object by its name", err)
		return
	}
	node.take(live)
	if owner, ok := object.OwnerOf(live.GetLabels()); ok && node.Message == "" {
		node.Message = fmt.Sprintf("shared with Component %s/%s, which applies it", terminal.Clean(owner.Namespace), terminal.Clean(owner.Name))
	}
}

// list reads the objects that belong to the listing's Components. Of ConfigMaps and Secrets it reads no data: that may be
// large, and is nobody's business here.
func list(ctx context.Context, reader client.Reader, wanted *listing) ([]unstructured.Unstructured, error) {
	ofOwners, err := labels.NewRequirement(corev1alpha1.ComponentUIDLabel, selection.In, wanted.owners)
	if err != nil {
		return nil, err
	}
	options := &client.ListOptions{Namespace: wanted.namespace, LabelSelector: labels.NewSelector().Add(*ofOwners)}
	ofList := wanted.kind.GroupVersion().WithKind(wanted.kind.Kind + "List")
	if wanted.kind.Group != "" || wanted.kind.Kind != "ConfigMap" && wanted.kind.Kind != "Secret" {
		found := &unstructured.UnstructuredList{}
		found.SetGroupVersionKind(ofList)
		err := reader.List(ctx, found, options)
		return found.Items, err
	}
	found := &metav1.PartialObjectMetadataList{}
	found.SetGroupVersionKind(ofList)
	if err := reader.List(ctx, found, options); err != nil {
		return nil, err
	}
	items := make([]unstructured.Unstructured, len(found.Items))
	for i := range found.Items {
		found.Items[i].SetGroupVersionKind(wanted.kind)
		if items[i].Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(&found.Items[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}
