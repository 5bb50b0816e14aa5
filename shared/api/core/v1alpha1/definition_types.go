package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DefinitionContent is what makes a definition: its CUE files and the API line that they implement.
type DefinitionContent struct {
	// files holds the definition's CUE files by file name. All of them are unified into one package, so the split into
	// files is the author's choice; template.cue, health.cue and exports.cue are customary.
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[A-Za-z0-9][A-Za-z0-9_-]*[.]cue$'))",message="each key of files must be the name of a CUE file, such as template.cue"
	Files map[string]string `json:"files"`

	// apiVersion is the definition's own API line. Parameters stay compatible within a line; a new line is a new contract.
	// +kubebuilder:default=v1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$')",message="apiVersion is the definition's API line, such as v1 or v2beta1"
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`

	// version names this content for people, such as 1.4.2. It decides nothing: content is told apart by its hash.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Version string `json:"version,omitempty"`
}

// ComponentDefinitionSpec is the desired content of a ComponentDefinition.
type ComponentDefinitionSpec struct {
	DefinitionContent `json:",inline"`
}

// ComponentDefinition describes a type of component: its parameters, the objects that it renders to, when it is healthy
// and what it exports, all in CUE.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=compdef,categories=wheelwright
// +kubebuilder:printcolumn:name="Line",type=string,JSONPath=`.spec.apiVersion`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.version`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ComponentDefinition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ComponentDefinitionSpec `json:"spec"`
}

// ComponentDefinitionList is a list of ComponentDefinitions.
//
// +kubebuilder:object:root=true
type ComponentDefinitionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ComponentDefinition `json:"items"`
}
