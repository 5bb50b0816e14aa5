package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// TraitContent is what makes a trait definition: its content, when it has its effect and on what.
type TraitContent struct {
	DefinitionContent `json:",inline"`

	// phase is when the trait has its effect: pre changes the component's parameters before it is rendered, default patches
	// what it rendered and adds to it, post adds objects once the component is healthy. Without it the definition's own CUE
	// says it, and otherwise it is default.
	// +kubebuilder:validation:Enum=pre;default;post
	// +optional
	Phase string `json:"phase,omitempty"`

	// appliesTo names the component types that the trait is for. Without it the definition's own CUE says it, and otherwise
	// it is for all of them.
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	// +optional
	AppliesTo []string `json:"appliesTo,omitempty"`
}

// TraitDefinitionSpec is the desired content of a TraitDefinition.
type TraitDefinitionSpec struct {
	TraitContent `json:",inline"`
}

// TraitDefinition describes a trait: what it takes, and what it changes in a component or adds to it, all in CUE.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=traitdef,categories=wheelwright
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.spec.phase`
// +kubebuilder:printcolumn:name="Line",type=string,JSONPath=`.spec.apiVersion`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.version`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type TraitDefinition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TraitDefinitionSpec `json:"spec"`
}

// TraitDefinitionList is a list of TraitDefinitions.
//
// +kubebuilder:object:root=true
type TraitDefinitionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TraitDefinition `json:"items"`
}
