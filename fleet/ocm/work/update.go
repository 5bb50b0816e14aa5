package work

import (
	"context"
	"encoding/base64"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
)

// update replaces the live object by the manifest; of the live object's metadata it keeps what
// the manifest does not speak of. It writes nothing when they agree.
func (a *applier) update(ctx context.Context, m manifest, want ownership) (*unstructured.Unstructured, error) {
	var live *unstructured.Unstructured
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
		live, err = a.updateOnce(ctx, m, want)
		return err
	})
	return live, err
}

func (a *applier) updateOnce(ctx context.Context, m manifest, want ownership) (*unstructured.Unstructured, error) {
	live, err := a.spokeClient.get(ctx, m.meta)
	if apierrors.IsNotFound(err) {
		if live, err = a.create(ctx, m, want); err == nil {
			a.unchanged.record(m, want, live)
		}
		return live, err
	}
	if err != nil {
		return nil, err
	}
	if a.unchanged.since(m, want, live) {
		return live, nil
	}
	desired, changed := toUpdate(m.object, live, want)
	if changed {
		live, err = a.spokeClient.of(m.meta).Update(ctx, desired, metav1.UpdateOptions{})
		if err != nil {
			return nil, err
		}
	}
	a.unchanged.record(m, want, live)
	return live, nil
}

// toCreate is the manifest as it is first sent: without the keys that ask for a removal, and
// with the one owner.
func toCreate(required *unstructured.Unstructured, want ownership) *unstructured.Unstructured {
	object := required.DeepCopy()
	object.SetLabels(withoutRemovals(object.GetLabels()))
	object.SetAnnotations(withoutRemovals(object.GetAnnotations()))
	owners, _ := mergeOwner(nil, want)
	object.SetOwnerReferences(owners)
	return object
}

// toUpdate merges the manifest with the live object and tells whether there is anything to write.
func toUpdate(required, live *unstructured.Unstructured, want ownership) (*unstructured.Unstructured, bool) {
	labels, labelsChanged := mergeKeys(live.GetLabels(), required.GetLabels())
	annotations, annotationsChanged := mergeKeys(live.GetAnnotations(), required.GetAnnotations())
	owners, ownersChanged := mergeOwner(live.GetOwnerReferences(), want)
	metadataChanged := labelsChanged || annotationsChanged || ownersChanged

	desired := normalise(required)
	if onlyMetadata(required) {
		desired = live.DeepCopy()
	}
	desired.SetResourceVersion(live.GetResourceVersion())
	desired.SetLabels(labels)
	desired.SetAnnotations(annotations)
	desired.SetOwnerReferences(owners)
	desired.SetFinalizers(live.GetFinalizers())
	return desired, metadataChanged || !sameContent(desired, live)
}

// onlyMetadata tells the kinds of which an update leaves everything but labels, annotations and
// owners alone, because the cluster fills in the rest.
func onlyMetadata(object *unstructured.Unstructured) bool {
	switch object.GroupVersionKind().GroupKind().String() {
	case "Namespace", "ServiceAccount", "Pod":
		return true
	}
	return false
}

// sameContent compares what an update of the manifest can change: neither metadata, which is
// merged on its own, nor status.
func sameContent(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(content(a), content(b))
}

func content(object *unstructured.Unstructured) map[string]any {
	content := maps.Clone(object.Object)
	delete(content, "metadata")
	delete(content, "status")
	return content
}

// normalise writes a Secret the way the API server returns it, so that equal ones compare equal.
func normalise(required *unstructured.Unstructured) *unstructured.Unstructured {
	object := required.DeepCopy()
	if object.GroupVersionKind().GroupKind().String() != "Secret" {
		return object
	}
	plain, _, _ := unstructured.NestedStringMap(object.Object, "stringData")
	data, _, _ := unstructured.NestedMap(object.Object, "data")
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range plain {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	delete(object.Object, "stringData")
	if len(data) > 0 {
		object.Object["data"] = data
	}
	if object.Object["type"] == nil {
		object.Object["type"] = "Opaque"
	}
	return object
}

// mergeKeys returns the labels or annotations of the live object with the required ones on top,
// and whether that changed them. A required key that ends in "-" removes the key before it.
func mergeKeys(live, required map[string]string) (map[string]string, bool) {
	merged := maps.Clone(live)
	if merged == nil {
		merged = map[string]string{}
	}
	changed := false
	for key, value := range required {
		before, found := merged[strings.TrimRight(key, "-")]
		switch {
		case strings.HasSuffix(key, "-"):
			delete(merged, strings.TrimRight(key, "-"))
			changed = changed || found
		case !found || before != value:
			merged[key] = value
			changed = true
		}
	}
	return merged, changed
}

func withoutRemovals(required map[string]string) map[string]string {
	kept := maps.Clone(required)
	maps.DeleteFunc(kept, func(key, _ string) bool { return strings.HasSuffix(key, "-") })
	return kept
}
