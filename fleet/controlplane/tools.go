//go:build tools

package main

// Open Cluster Management's CRDs are YAML files inside its API module. Requiring that module
// here pins their release and lets the build read them out of the module cache.
import _ "open-cluster-management.io/api/work/v1"
