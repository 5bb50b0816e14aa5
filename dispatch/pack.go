package dispatch

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FieldManager is the name under which OCM's work agent applies what we deliver. OCM wants the prefix work-agent.
const FieldManager = "work-agent-wheelwright"

// WorkGroupVersionKind is the kind of what Pack returns.
var WorkGroupVersionKind = schema.GroupVersionKind{Group: "work.open-cluster-management.io", Version: "v1", Kind: "ManifestWork"}

// Delivery is content for one cluster on behalf of an owner.
type Delivery struct {
	// Cluster is the ManagedCluster's name, which is also the namespace of its works.
	Cluster string
	Owner   Owner
	Content *Content
}

// Features are what the hub's ManifestWork API offers beyond its oldest supported release.
type Features struct {
	// FeedbackWatch: manifestConfigs take feedbackScrapeType. A hub without it prunes or refuses the field, and its
	// agents poll.
	FeedbackWatch bool
}

// Pack makes the work that carries the delivery, at a new revision. Every field that OCM would default is written out, so
// that a later comparison meets no surprise. The result is unstructured, since the typed API of an older OCM release would
// lose newer fields.
func Pack(d Delivery, features Features) (*unstructured.Unstructured, error) {
	revision := newRevision(d.Content)
	raw, err := marshalAt(d.Content.object, revision)
	if err != nil {
		return nil, err
	}
	config := d.Content.manifestConfig()
	config["feedbackRules"] = []any{map[string]any{
		"type":      "JSONPaths",
		"jsonPaths": []any{map[string]any{"name": FeedbackName(revision), "path": FeedbackPath(revision)}},
	}}
	if features.FeedbackWatch {
		config["feedbackScrapeType"] = "Watch"
	}
	work, err := newWork(d.Cluster, d.Content, raw, config, "Foreground")
	if err != nil {
		return nil, err
	}
	labels := work.GetLabels()
	labels[KindLabel] = KindObject
	labels[OwnerUIDLabel] = string(d.Owner.UID)
	work.SetLabels(labels)
	annotations := work.GetAnnotations()
	annotations[OwnerAnnotation] = d.Owner.String()
	annotations[RevisionAnnotation] = revision
	work.SetAnnotations(annotations)
	return work, nil
}

// PackNamespace makes the work that brings a namespace to a cluster and leaves it there when the work goes: Wheelwright
// never deletes a namespace.
func PackNamespace(cluster, namespace string) (*unstructured.Unstructured, error) {
	content, err := NamespaceContent(namespace)
	if err != nil {
		return nil, err
	}
	raw, err := marshalAt(content.object, "")
	if err != nil {
		return nil, err
	}
	work, err := newWork(cluster, content, raw, content.manifestConfig(), "Orphan")
	if err != nil {
		return nil, err
	}
	labels := work.GetLabels()
	labels[KindLabel] = KindNamespace
	labels[NamespaceLabel] = namespace
	work.SetLabels(labels)
	return work, nil
}

// NamespaceContent is a namespace as PackNamespace delivers it.
func NamespaceContent(name string) (*Content, error) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	return NewContent(object, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
}

func newWork(cluster string, content *Content, raw []byte, config map[string]any, propagation string) (*unstructured.Unstructured, error) {
	manifest := map[string]any{}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return nil, err
	}
	work := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{
			"workload":        map[string]any{"manifests": []any{manifest}},
			"deleteOption":    map[string]any{"propagationPolicy": propagation},
			"manifestConfigs": []any{config},
		},
	}}
	work.SetGroupVersionKind(WorkGroupVersionKind)
	work.SetNamespace(cluster)
	work.SetName(content.WorkName())
	work.SetLabels(map[string]string{})
	if content.Namespace() != "" {
		work.SetLabels(map[string]string{NamespaceLabel: content.Namespace()})
	}
	work.SetAnnotations(map[string]string{
		ContentHashAnnotation: content.Hash(),
		ObjectAnnotation:      content.Describe(),
	})
	return work, nil
}

func (c *Content) manifestConfig() map[string]any {
	identifier := map[string]any{
		"group":    c.resource.Group,
		"resource": c.resource.Resource,
		"name":     c.object.GetName(),
	}
	if c.Namespace() != "" {
		identifier["namespace"] = c.Namespace()
	}
	return map[string]any{
		"resourceIdentifier": identifier,
		"updateStrategy": map[string]any{
			"type":            "ServerSideApply",
			"serverSideApply": map[string]any{"force": true, "fieldManager": FieldManager},
		},
	}
}

// Revision of what a work carries.
func Revision(work metav1.Object) string { return work.GetAnnotations()[RevisionAnnotation] }
