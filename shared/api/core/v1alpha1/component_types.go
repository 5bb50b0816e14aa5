package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ComponentFinalizer keeps a Component until everything that it owns on the spoke is gone.
const ComponentFinalizer = "core.wheelwright.dev/component"

// Labels of a Component that belongs to an Application.
const (
	// ApplicationLabel holds the Application's name.
	ApplicationLabel = "core.wheelwright.dev/application"
	// ApplicationComponentLabel holds the component's name in the Application.
	ApplicationComponentLabel = "core.wheelwright.dev/application-component"
)

// ComposedByAnnotation is on a Component that is made by another one, and holds the types of those above it, separated by commas,
// the outermost first.
const ComposedByAnnotation = "core.wheelwright.dev/composed-by"

// Dependency names a component that must be healthy first.
type Dependency struct {
	// name of the component in the same Application; on a spoke, of the Component in the same namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
}

// ComponentTrait is a trait of a component.
type ComponentTrait struct {
	// type names the TraitDefinition, as name or as line/name.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^(v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?/)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="type must be the name of a TraitDefinition, such as gateway, or its API line and name, such as v1/gateway"
	Type string `json:"type"`

	// properties are the parameters of the trait's definition, as it declares them.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +optional
	Properties *runtime.RawExtension `json:"properties,omitempty"`
}

// TraitSnapshot is a trait definition that the hub resolved and sent along.
type TraitSnapshot struct {
	// type as the component's traits name it.
	// +kubebuilder:validation:MaxLength=253
	Type string `json:"type"`

	// name of the TraitDefinition on the hub.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	TraitContent `json:",inline"`
}

// ComponentSnapshot is a definition of components that a definition makes.
type ComponentSnapshot struct {
	// type as the outputs of definitions name it.
	// +kubebuilder:validation:MaxLength=253
	Type string `json:"type"`

	// name of the ComponentDefinition on the hub.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	DefinitionContent `json:",inline"`
}

// DefinitionSnapshot is the definition that the hub resolved and sent along, so that a spoke needs none of its own.
type DefinitionSnapshot struct {
	// name of the ComponentDefinition on the hub.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	DefinitionContent `json:",inline"`

	// traits are the definitions of the component's traits, one for each type.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Traits []TraitSnapshot `json:"traits,omitempty"`

	// components are the definitions of the components that outputs of type component make, one for each type, of those too
	// that lie further within. Types that are not among them are looked up on the spoke.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Components []ComponentSnapshot `json:"components,omitempty"`
}

// ComponentSpec is what a Component should be.
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.revision) || has(self.revision)",message="revision cannot be removed: the hub that dispatched this Component owns it; delete the Component instead"
// +kubebuilder:validation:XValidation:rule="!has(self.revision) || !has(self.serviceAccountName)",message="serviceAccountName is for Components applied by hand: one that the hub dispatched, with a revision, acts with the agent's rights"
type ComponentSpec struct {
	// type names the ComponentDefinition to render. It is cluster-scoped on the spoke unless definitionSnapshot carries it.
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

	// dependsOn names the Components that this one needs.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	DependsOn []Dependency `json:"dependsOn,omitempty"`

	// serviceAccountName is the ServiceAccount, in the Component's own namespace, whose rights are all that a Component applied by
	// hand has: it is rendered from what that account may read, and applied, deleted and worked on by it. Without a name it
	// is the namespace's account default. A Component that the hub dispatched acts with the agent's rights, and has none.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="serviceAccountName must be the name of a ServiceAccount"
	// +optional
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// progressDeadlineSeconds is how long the Component may be on its way without becoming healthy, at one generation, before
	// condition Stalled says so. Waiting for other Components, and workflows, whose steps have timeouts of their own, do not
	// count. Nothing is given up then: what is wrong may mend itself. Default 600.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	// +optional
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// revision is minted by the hub for each content that it dispatches and echoed in status.health. A Component applied by
	// hand has none.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]+$')",message="revision is made by the hub and has only lower-case letters and digits"
	// +optional
	Revision string `json:"revision,omitempty"`

	// definitionSnapshot is the definition to render with, when the hub sent it along.
	// +optional
	DefinitionSnapshot *DefinitionSnapshot `json:"definitionSnapshot,omitempty"`
}

// RevisionHealth is the health of exactly one revision. The hub's one feedback rule selects it by its revision, so that
// the health of an older revision can never be read as that of a newer one.
type RevisionHealth struct {
	// revision that was processed.
	Revision string `json:"revision"`
	// isHealthy is true only while what this revision rendered is live and healthy.
	IsHealthy bool `json:"isHealthy"`
}

// ComponentStatus is what the agent observed.
type ComponentStatus struct {
	// observedGeneration is the generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// isHealthy is the health of the Component, for people. Absent until it was judged.
	// +optional
	IsHealthy *bool `json:"isHealthy,omitempty"`

	// health holds the revision that the agent last processed and its health: at most one entry. Absent while a revision
	// is not processed, while the workflow of an event runs, and when the Component is being deleted.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1
	// +optional
	Health []RevisionHealth `json:"health,omitempty"`

	// exports are the values that the definition offers to others, kept while the Component is healthy.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +optional
	Exports *runtime.RawExtension `json:"exports,omitempty"`

	// event is the create or upgrade event that the Component is in, or was in last. Until the next one begins, definitions see
	// its context.
	// +optional
	Event *LifecycleEvent `json:"event,omitempty"`

	// workflow holds the keys that the workflow's set-workflow-state steps set. Definitions see them as context.workflow.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +optional
	Workflow *runtime.RawExtension `json:"workflow,omitempty"`

	// workflowRun is how far the workflow of the newest event has come, step by step. It is the agent's own.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +optional
	WorkflowRun *runtime.RawExtension `json:"workflowRun,omitempty"`

	// workflowRequest is the last value of the annotation core.wheelwright.dev/workflow-request that was acted upon.
	// +optional
	WorkflowRequest string `json:"workflowRequest,omitempty"`

	// conditions say how far the Component is, and what it waits for.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Component is one component on one spoke: dispatched by the hub, or applied by hand.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=comp,categories=wheelwright
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Healthy",type=boolean,JSONPath=`.status.isHealthy`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.spec.revision`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="a Component's name is also a label value and must have at most 63 characters"
type Component struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ComponentSpec   `json:"spec"`
	Status ComponentStatus `json:"status,omitempty"`
}

// ComponentList is a list of Components.
//
// +kubebuilder:object:root=true
type ComponentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Component `json:"items"`
}
