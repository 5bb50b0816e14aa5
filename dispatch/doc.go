// Package dispatch is the contract between the hub and its spokes: objects go in, readings come out.
//
// An object travels in an OCM ManifestWork of its own, and the one thing that comes back about it is a boolean, bound to
// the revision that it speaks of. This package holds what that contract says as pure functions: what content is and when
// it is the same (Content), which work carries it (WorkName), what the work looks like (Pack) and what may be concluded
// from it (Read). Package ocm does the reading and writing.
//
// dispatch knows nothing of Applications, packages or what else is delivered.
package dispatch
