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
	Group string `json:"group,omitempty"`
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// after marks an object that a trait of the phase post added. It stays while the Component is not healthy.
	// +optional
	After bool `json:"after,omitempty"`

	// wave tells what was recorded later from what was there: of objects of one rank, those of later waves are removed first, since
	// they may have been made from what is live of the others.
	// +optional
	Wave int32 `json:"wave,omitempty"`

	// formerSpecHashes are those of up to four specs that were rendered before, the newest first, separated by commas. Until the new
	// one is applied, the Component has one of them.
	// +optional
	FormerSpecHashes string `json:"formerSpecHashes,omitempty"`

	// specHash is that of the spec that was rendered for a Component that is part of this one. One that has another spec is not
	// what was rendered, and acts with nobody's rights but its own.
	// +optional
	SpecHash string `json:"specHash,omitempty"`

	// retain marks an object that is let go of, and not deleted, when it is not rendered any more.
	// +optional
	Retain bool `json:"retain,omitempty"`

	// applied marks an object that is to be applied once and has been: it is not applied again, not even when it is gone.
	// +optional
	Applied bool `json:"applied,omitempty"`
}

// ResourceTrackerSpec is the ledger of one Component, or a part of it: a ledger that is too large for one object goes on in
// further ones. It is all that its parts hold.
// +kubebuilder:validation:XValidation:rule="!has(self.compressed) || !has(self.resources)",message="what is tracked stands either in resources or in compressed"
type ResourceTrackerSpec struct {
	// component is the owner.
	Component TrackedOwner `json:"component"`

	// part is the place of this object in its ledger: 0, or absent, for the first, whose name is the Component's namespace and
	// name.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=999
	// +optional
	Part int32 `json:"part,omitempty"`

	// parts is how many objects the ledger has. It stands in the first of several.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	// +optional
	Parts int32 `json:"parts,omitempty"`

	// renderHash is the hash of the rendered outputs that the ledger was recorded for, in the first object. A tracker is current
	// by this content, not by a generation.
	// +optional
	RenderHash string `json:"renderHash,omitempty"`

	// count is how many resources this object holds.
	// +optional
	Count int32 `json:"count,omitempty"`

	// resources are written before the objects are applied, and leave only after the objects are gone.
	// +listType=atomic
	// +optional
	Resources []TrackedResource `json:"resources,omitempty"`

	// compressed stands in place of resources where they are many: the same list as JSON, in gzip.
	// +optional
	Compressed []byte `json:"compressed,omitempty"`
}

// ResourceTracker records what a Component owns on its cluster, in any namespace or in none.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=rt,categories=wheelwright
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.spec.component.namespace`
// +kubebuilder:printcolumn:name="Component",type=string,JSONPath=`.spec.component.name`
// +kubebuilder:printcolumn:name="Part",type=integer,JSONPath=`.spec.part`,priority=1
// +kubebuilder:printcolumn:name="Resources",type=integer,JSONPath=`.spec.count`
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
