// Package manifests holds everything that Wheelwright installs, as it is delivered: CRDs, RBAC and Deployments. The hub and
// agent folders are kustomizations; the CRDs are generated from the API types, and the agent's steps.yaml from the CUE in steps.
package manifests

import "embed"

// FS holds crds, hub and agent.
//
//go:embed crds/*.yaml hub/*.yaml agent/*.yaml
var FS embed.FS
