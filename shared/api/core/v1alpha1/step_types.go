package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WorkflowStepDefinitionSpec is the desired content of a WorkflowStepDefinition.
type WorkflowStepDefinitionSpec struct {
	DefinitionContent `json:",inline"`
}

// WorkflowStepDefinition describes a type of workflow step: what it takes and what it does, all in CUE.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=stepdef,categories=wheelwright
// +kubebuilder:printcolumn:name="Line",type=string,JSONPath=`.spec.apiVersion`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.version`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type WorkflowStepDefinition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WorkflowStepDefinitionSpec `json:"spec"`
}

// WorkflowStepDefinitionList is a list of WorkflowStepDefinitions.
//
// +kubebuilder:object:root=true
type WorkflowStepDefinitionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WorkflowStepDefinition `json:"items"`
}
