// Package v1alpha1 holds the kinds of core.wheelwright.dev/v1alpha1: what a person writes on the hub (Application,
// definitions of components, traits and workflow steps) and what the spoke agent works on (Component, ResourceTracker).
//
// +kubebuilder:object:generate=true
// +groupName=core.wheelwright.dev
package v1alpha1
