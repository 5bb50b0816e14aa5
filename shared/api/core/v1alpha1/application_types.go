package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ApplicationFinalizer keeps an Application until its works are gone from every cluster.
const ApplicationFinalizer = "core.wheelwright.dev/application"

// ApplicationComponent is one component of an Application.
type ApplicationComponent struct {
	// name of the component, unique in the Application. On a spoke it becomes the Component <application>-<name>.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=61
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="a component's name must consist of lower-case letters, digits and '-', and start and end with a letter or digit"
	Name string `json:"name"`

	// type names the ComponentDefinition, as name or as line/name.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^(v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?/)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="type must be the name of a ComponentDefinition, such as webservice, or its API line and name, such as v1/webservice"
	Type string `json:"type"`

	// properties are the parameters of the definition, as it declares them.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +optional
	Properties *runtime.RawExtension `json:"properties,omitempty"`

	// traits change what the component renders, or add to it. They take effect in this order, within the phase that each
	// definition names. A type may stand here more than once.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Traits []ComponentTrait `json:"traits,omitempty"`

	// dependsOn names components of this Application that must be healthy, on the same cluster and at their current
	// revision, before this one is dispatched or updated there.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	DependsOn []Dependency `json:"dependsOn,omitempty"`
}

// ApplicationPlacement says which clusters an Application goes to. Whichever form is used, only clusters of
// ManagedClusterSets that are bound to the Application's namespace by a ManagedClusterSetBinding can be reached.
// +kubebuilder:validation:XValidation:rule="[has(self.clusters), has(self.clusterSelector), has(self.placementRef)].filter(x, x).size() == 1",message="placement takes exactly one of clusters, clusterSelector or placementRef"
type ApplicationPlacement struct {
	// clusters are ManagedCluster names.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5000
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:MinLength=1
	// +optional
	Clusters []string `json:"clusters,omitempty"`

	// clusterSelector selects ManagedClusters by label. An empty selector selects every reachable cluster.
	// +optional
	ClusterSelector *metav1.LabelSelector `json:"clusterSelector,omitempty"`

	// placementRef names an OCM Placement in the Application's namespace, whose decisions are followed.
	// +optional
	PlacementRef *PlacementReference `json:"placementRef,omitempty"`
}

// PlacementReference names an OCM Placement in the same namespace.
type PlacementReference struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// ApplicationSpec is what an Application should be.
// +kubebuilder:validation:XValidation:rule="self.components.all(c, !has(c.dependsOn) || c.dependsOn.all(d, self.components.exists(o, o.name == d.name)))",message="dependsOn must name components of this Application"
// +kubebuilder:validation:XValidation:rule="self.components.all(c, !has(c.dependsOn) || !c.dependsOn.exists(d, d.name == c.name))",message="a component cannot depend on itself"
type ApplicationSpec struct {
	// components to deliver. A component whose name leaves the list is removed from its clusters.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	Components []ApplicationComponent `json:"components"`

	// parameters are values that properties can name by fromParameter, so that one value can stand in several components.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +optional
	Parameters *runtime.RawExtension `json:"parameters,omitempty"`

	// placement says which clusters they go to.
	Placement ApplicationPlacement `json:"placement"`
}

// DefinitionLock is a definition as the Application uses it, until its spec changes: later edits of the definition do not
// roll the fleet.
type DefinitionLock struct {
	// type as the components name it.
	Type string `json:"type"`
	// name of the ComponentDefinition that it resolved to.
	Name string `json:"name"`
	// apiVersion is the definition's API line.
	APIVersion string `json:"apiVersion"`
	// version as the definition's author named it.
	// +optional
	Version string `json:"version,omitempty"`
	// hash of the locked content. The content itself is kept in the ControllerRevision named by revisionName.
	Hash string `json:"hash"`
	// revisionName is the ControllerRevision in the Application's namespace that holds the content.
	RevisionName string `json:"revisionName"`
}

// ApplicationCounts counts component × cluster pairs. An absent count is 0.
type ApplicationCounts struct {
	// clusters selected now.
	// +optional
	Clusters int32 `json:"clusters"`
	// desired pairs.
	// +optional
	Desired int32 `json:"desired"`
	// dispatched pairs: the hub's work carries the content of this generation.
	// +optional
	Dispatched int32 `json:"dispatched"`
	// healthy pairs, each at its current revision.
	// +optional
	Healthy int32 `json:"healthy"`
	// unhealthy pairs: the spoke says so of the current revision.
	// +optional
	Unhealthy int32 `json:"unhealthy"`
	// unknown pairs: not dispatched yet, not processed yet, or unreadable.
	// +optional
	Unknown int32 `json:"unknown"`
	// owed pairs are on clusters that left the placement while unreachable, and are kept until they return.
	// +optional
	Owed int32 `json:"owed,omitempty"`
}

// ComponentReading is how one component stands on one cluster.
type ComponentReading struct {
	Component string `json:"component"`
	Cluster   string `json:"cluster"`
	// state is Healthy, Unhealthy or Unknown.
	State string `json:"state"`
	// reason in one word.
	Reason string `json:"reason"`
	// message says what it waits for.
	// +optional
	Message string `json:"message,omitempty"`
	// revision that was read.
	// +optional
	Revision string `json:"revision,omitempty"`
}

// ApplicationStatus is how far an Application is on its clusters.
type ApplicationStatus struct {
	// observedGeneration is the generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// acceptedGeneration is the last generation that was valid and is being dispatched.
	// +optional
	AcceptedGeneration int64 `json:"acceptedGeneration,omitempty"`

	// definitionLocks are the definitions in use.
	// +listType=map
	// +listMapKey=type
	// +optional
	DefinitionLocks []DefinitionLock `json:"definitionLocks,omitempty"`

	// traitLocks are the trait definitions in use.
	// +listType=map
	// +listMapKey=type
	// +optional
	TraitLocks []DefinitionLock `json:"traitLocks,omitempty"`

	// counts of component × cluster pairs.
	// +optional
	Counts ApplicationCounts `json:"counts,omitempty"`

	// offenders are pairs that are not healthy, at most 50 of them; counts has the whole number.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +optional
	Offenders []ComponentReading `json:"offenders,omitempty"`

	// conditions say how far the Application is, and what it waits for.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Application is a set of components and the clusters that they go to.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=wapp,categories=wheelwright
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Healthy",type=integer,JSONPath=`.status.counts.healthy`
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.status.counts.desired`
// +kubebuilder:printcolumn:name="Clusters",type=integer,JSONPath=`.status.counts.clusters`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.spec.components.all(c, size(self.metadata.name) + size(c.name) <= 62)",message="<application>-<component> names the Component on the spoke and must have at most 63 characters: shorten one of the names"
type Application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ApplicationSpec   `json:"spec"`
	Status ApplicationStatus `json:"status,omitempty"`
}

// ApplicationList is a list of Applications.
//
// +kubebuilder:object:root=true
type ApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Application `json:"items"`
}
