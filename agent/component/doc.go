// Package component is the spoke's component-controller: it runs the pipeline of KEP-2.2 for each Component of its cluster.
//
// # What status.health promises
//
// The hub reads one boolean, bound to a revision. The agent keeps at most one entry there, of spec.revision as it processed
// it last:
//
//   - absent: not processed yet, or waiting, or being deleted.
//   - false: processed, and not healthy: rolling out, unhealthy, or failed. It is written as soon as a revision was dispatched
//     without being healthy at once, and also when it cannot be rendered or applied; the conditions say which.
//   - true: this very reconcile rendered the revision, the tracker holds that rendering, what is not rendered any more is gone,
//     every object was seen on the cluster as the last apply left it, its controller has caught up, no old pods are left,
//     outputs that read what is live of others were rendered over just that, Components that are outputs are healthy
//     themselves, and the definition says healthy (package health has the exact rule).
//
// Status is written once, at the end of a reconcile, under the resource version that the reconcile read. So a revision that was
// superseded meanwhile is never reported, neither as true nor as false.
package component
