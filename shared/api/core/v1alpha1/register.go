package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// GroupVersion is the API group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "core.wheelwright.dev", Version: "v1alpha1"}

// AddToScheme registers the kinds of this package.
var AddToScheme = (&scheme.Builder{GroupVersion: GroupVersion}).Register(
	&Application{}, &ApplicationList{},
	&Component{}, &ComponentList{},
	&ComponentDefinition{}, &ComponentDefinitionList{},
	&TraitDefinition{}, &TraitDefinitionList{},
	&WorkflowStepDefinition{}, &WorkflowStepDefinitionList{},
	&ResourceTracker{}, &ResourceTrackerList{},
).AddToScheme
