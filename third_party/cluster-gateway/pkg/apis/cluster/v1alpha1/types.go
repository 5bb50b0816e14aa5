// Package v1alpha1 stands in for cluster-gateway's API types, which Wheelwright never uses:
// work reaches clusters by ManifestWork alone. See third_party/README.md.
package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// AddToScheme registers nothing: no cluster-gateway object is ever read or written here.
func AddToScheme(*runtime.Scheme) error { return nil }
