package work

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	workv1 "open-cluster-management.io/api/work/v1"
)

const appliedManifestWorkKind = "AppliedManifestWork"

// ownership is whether an object is to be owned by the AppliedManifestWork of a work, and
// thereby to go with it, or to be released by it.
type ownership struct {
	reference metav1.OwnerReference
	released  bool
}

// referenceTo is the owner reference that the agent puts on what it applies. It is no
// controller reference: several works may own one object.
func referenceTo(applied *workv1.AppliedManifestWork) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: workv1.GroupVersion.String(),
		Kind:       appliedManifestWorkKind,
		Name:       applied.Name,
		UID:        applied.UID,
	}
}

// orphaned tells whether the delete option lets the object outlive its work.
func orphaned(object workv1.ManifestResourceMeta, option *workv1.DeleteOption) bool {
	if option == nil {
		return false
	}
	switch option.PropagationPolicy {
	case workv1.DeletePropagationPolicyTypeForeground:
		return false
	case workv1.DeletePropagationPolicyTypeOrphan:
		return true
	}
	return option.SelectivelyOrphan != nil && slices.Contains(option.SelectivelyOrphan.OrphaningRules,
		workv1.OrphaningRule{
			Group:     object.Group,
			Resource:  object.Resource,
			Name:      object.Name,
			Namespace: object.Namespace,
		})
}

// mergeOwner returns the references with the ownership brought about, and whether that changed
// them. A reference of the same name under another UID is to a former record of the same work.
func mergeOwner(references []metav1.OwnerReference, want ownership) ([]metav1.OwnerReference, bool) {
	at := slices.IndexFunc(references, func(r metav1.OwnerReference) bool { return sameOwner(r, want.reference) })
	switch {
	case at < 0 && want.released:
		return references, false
	case at < 0:
		return append(slices.Clone(references), want.reference), true
	case want.released:
		return slices.Delete(slices.Clone(references), at, at+1), true
	case sameReference(references[at], want.reference):
		return references, false
	}
	merged := slices.Clone(references)
	merged[at] = want.reference
	return merged, true
}

func sameOwner(a, b metav1.OwnerReference) bool {
	groupA, errA := schema.ParseGroupVersion(a.APIVersion)
	groupB, errB := schema.ParseGroupVersion(b.APIVersion)
	return errA == nil && errB == nil && groupA.Group == groupB.Group && a.Kind == b.Kind && a.Name == b.Name
}

func sameReference(a, b metav1.OwnerReference) bool {
	return a.APIVersion == b.APIVersion && a.Kind == b.Kind && a.Name == b.Name && a.UID == b.UID &&
		a.Controller == nil && a.BlockOwnerDeletion == nil
}

// ownedBy tells whether the object is owned by that very record.
func ownedBy(object *unstructured.Unstructured, owner metav1.OwnerReference) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(r metav1.OwnerReference) bool {
		return r.UID == owner.UID
	})
}

// ownedByAnother tells whether another work's record owns the object too. Owners of other kinds
// do not count: they do not keep the object from being deleted with its work.
func ownedByAnother(object *unstructured.Unstructured, owner metav1.OwnerReference) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(r metav1.OwnerReference) bool {
		return r.APIVersion == owner.APIVersion && r.Kind == owner.Kind && r.UID != owner.UID
	})
}
