// Package work stands in for the work agent of Open Cluster Management on a managed cluster.
//
// The agent reads the ManifestWorks of one cluster namespace on the hub, applies their
// manifests to the spoke, and reports back: whether each manifest was applied, whether its
// object exists, and the values that the work's feedback rules ask for. What it applied for
// a work it records in an AppliedManifestWork on the spoke, which owns the objects and is the
// agent's memory when manifests or whole works go away.
//
// OCM's agent cannot be imported as a Go module, so the fleet runs this one where no OCM is
// installed. It is built to be indistinguishable through the API, hazards included: package
// conformance runs one table of cases against it and against OCM's own binary. Where the two
// may differ is speed.
//
// Three loops share the work, each over its own queue:
//
//	workLoop     ManifestWork         finalizer, apply, prune, delete
//	statusLoop   ManifestWork         availability and feedback of what was applied
//	recordLoop   AppliedManifestWork  deletion of recorded objects, eviction
//
// Left out, because Wheelwright never asks for them: ignoreFields, executors, Complete and
// the time to live that follows it, condition rules, and raw JSON feedback; and of the update
// strategy Update what OCM does only to Services (an annotation with a hash of the spec) and to
// StorageClasses and CSIDrivers (deleting what cannot be changed and making it anew).
package work
