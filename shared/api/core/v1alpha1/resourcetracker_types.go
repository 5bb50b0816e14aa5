package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Labels that the agent puts on every object that a Component renders. An object is only ever deleted when both the
// tracker recorded it and its ComponentUIDLabel still names the Component.
const (
	// ComponentUIDLabel holds the UID of the owning Component.
	ComponentUIDLabel = "core.wheelwright.dev/component-uid"
	// ComponentNameLabel holds the name of the owning Component.
	ComponentNameLabel = "core.wheelwright.dev/component"
	// ComponentNamespaceLabel holds the namespace of the owning Component.
	ComponentNamespaceLabel = "core.wheelwright.dev/component-namespace"
	// OutputLabel holds the name of the output that rendered the object.
	OutputLabel = "core.wheelwright.dev/output"
)

// TrackedOwner is the Component that a ResourceTracker belongs to.
type TrackedOwner struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
}

// TrackedResource names one object that a Component owns or is about to own.
type TrackedResource struct {
	// +optional
	Group   string `json:"group,omitempty"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`

	// after marks an object that a trait of the phase post added. It stays while the Component is not healthy.
	// +optional
	After bool `json:"after,omitempty"`

	// specHash is that of the spec that was rendered for a Component that is part of this one. One that has another spec is not
	// what was rendered, and acts with nobody's rights but its own.
	// +optional
	SpecHash string `json:"specHash,omitempty"`
}

// ResourceTrackerSpec is the ledger of one Component.
type ResourceTrackerSpec struct {
	// component is the owner.
	Component TrackedOwner `json:"component"`

	// renderHash is the hash of the rendered outputs that resources was recorded for. A tracker is current by this content,
	// not by a generation.
	// +optional
	RenderHash string `json:"renderHash,omitempty"`

	// resources are written before the objects are applied, and leave only after the objects are gone.
	// +listType=atomic
	// +optional
	Resources []TrackedResource `json:"resources,omitempty"`
}

// ResourceTracker records what a Component owns on its cluster, in any namespace or in none.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=rt,categories=wheelwright
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.spec.component.namespace`
// +kubebuilder:printcolumn:name="Component",type=string,JSONPath=`.spec.component.name`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceTracker struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ResourceTrackerSpec `json:"spec"`
}

// ResourceTrackerList is a list of ResourceTrackers.
//
// +kubebuilder:object:root=true
type ResourceTrackerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceTracker `json:"items"`
}
