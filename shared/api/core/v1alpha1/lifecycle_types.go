package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// WorkflowRequestAnnotation on a Component asks something of its workflow: <verb>/<id>, or <verb>:<step>/<id>. The verb is
// suspend, resume, restart or terminate; the id makes one request different from the next. The agent acts on each value once.
const WorkflowRequestAnnotation = "core.wheelwright.dev/workflow-request"

// Types of a LifecycleEvent.
const (
	// EventCreate lasts until something was made completely for the first time.
	EventCreate = "create"
	// EventUpgrade is every later one.
	EventUpgrade = "upgrade"
)

// LifecycleEvent is one create or upgrade event of a Component: what changes from what (KEP-2.2).
type LifecycleEvent struct {
	// id tells the event from all others of the Component.
	ID string `json:"id"`

	// type is create until an event was completed, and upgrade from then on.
	// +kubebuilder:validation:Enum=create;upgrade
	Type string `json:"type"`

	// generation of the Component that began the event, or the newest one that asked for the same while it ran.
	Generation int64 `json:"generation"`

	// completed is set once everything is applied and the workflow, if there is one, has succeeded. An event that ends without
	// it makes the next revision an event whatever its content.
	Completed bool `json:"completed"`

	// paramsChanged tells whether parameters differ from what was completed last, or from what was begun since.
	// +optional
	ParamsChanged bool `json:"paramsChanged,omitempty"`

	// definitionChanged tells the same of the definition.
	// +optional
	DefinitionChanged bool `json:"definitionChanged,omitempty"`

	// traitsChanged tells the same of the traits, their definitions and their properties.
	// +optional
	TraitsChanged bool `json:"traitsChanged,omitempty"`

	// current is what was completed before the event. On create there is none.
	// +optional
	Current *ProcessedInputs `json:"current,omitempty"`

	// target is what the event brings about.
	Target ProcessedInputs `json:"target"`
}

// ProcessedInputs are what a rendering followed from, as far as it may be kept: no values from Secrets.
type ProcessedInputs struct {
	// apiVersion is the definition's API line.
	APIVersion string `json:"apiVersion"`

	// definitionHash tells contents of the definition apart.
	DefinitionHash string `json:"definitionHash"`

	// traitsHash tells lists of traits apart, with their definitions and resolved properties. It is keyed.
	// +optional
	TraitsHash string `json:"traitsHash,omitempty"`

	// propertiesHash tells resolved properties apart. It is keyed, so that nobody finds a short Secret by trying.
	PropertiesHash string `json:"propertiesHash"`

	// properties as they were written, with their from* directives. Those that are too large are not kept.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +optional
	Properties *runtime.RawExtension `json:"properties,omitempty"`
}
