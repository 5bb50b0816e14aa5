package dispatch

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

var (
	components = schema.GroupVersionResource{Group: "core.wheelwright.dev", Version: "v1alpha1", Resource: "components"}
	noon       = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
)

func component(name string, properties map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "core.wheelwright.dev/v1alpha1", "kind": "Component",
		"metadata": map[string]any{"namespace": "shop", "name": name},
		"spec":     map[string]any{"type": "webservice", "properties": properties},
	}}
}

func content(t *testing.T, object *unstructured.Unstructured) *Content {
	t.Helper()
	c, err := NewContent(object, components)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func delivery(t *testing.T) Delivery {
	t.Helper()
	return Delivery{
		Cluster: "dev-eu", Owner: Owner{Kind: "Application", Namespace: "shop", Name: "shop", UID: "uid-1"},
		Content: content(t, component("shop-web", map[string]any{"image": "web:1"})),
	}
}

const revision = "r7"

// healthyWork is a work whose every sign says that revision r7 of the delivery is healthy.
func healthyWork(d Delivery) *workv1.ManifestWork {
	yes := true
	return &workv1.ManifestWork{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.Cluster, Name: d.Content.WorkName(), Generation: 4,
			Labels: map[string]string{OwnerUIDLabel: string(d.Owner.UID), KindLabel: KindObject},
			Annotations: map[string]string{
				ContentHashAnnotation: d.Content.Hash(), RevisionAnnotation: revision, OwnerAnnotation: d.Owner.String(),
			},
		},
		Status: workv1.ManifestWorkStatus{
			Conditions: []metav1.Condition{{Type: workv1.WorkApplied, Status: metav1.ConditionTrue, ObservedGeneration: 4}},
			ResourceStatus: workv1.ManifestResourceStatus{Manifests: []workv1.ManifestCondition{{
				ResourceMeta: workv1.ManifestResourceMeta{
					Group: "core.wheelwright.dev", Version: "v1alpha1", Kind: "Component", Resource: "components",
					Namespace: "shop", Name: "shop-web",
				},
				Conditions: []metav1.Condition{
					{Type: workv1.ManifestApplied, Status: metav1.ConditionTrue, ObservedGeneration: 4, LastTransitionTime: metav1.NewTime(noon)},
					{Type: workv1.ManifestAvailable, Status: metav1.ConditionTrue},
					{Type: feedbackSynced, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon)},
				},
				StatusFeedbacks: workv1.StatusFeedbackResult{Values: []workv1.FeedbackValue{
					{Name: FeedbackName(revision), Value: workv1.FieldValue{Type: workv1.Boolean, Boolean: &yes}},
				}},
			}}},
		},
	}
}

func availableCluster(name string) *clusterv1.ManagedCluster {
	return &clusterv1.ManagedCluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: clusterv1.ManagedClusterStatus{Conditions: []metav1.Condition{
			{Type: clusterv1.ManagedClusterConditionAvailable, Status: metav1.ConditionTrue},
		}},
	}
}
