// Package component is the spoke's component-controller: it runs the pipeline of KEP-2.2 for each Component of its cluster.
//
// # What status.health promises
//
// The hub reads one boolean, bound to a revision. The agent keeps at most one entry there, of spec.revision as it processed
// it last:
//
//   - absent: not processed yet, or waiting, or the workflow of an event runs, or being deleted.
//   - false: processed, and not healthy: rolling out, unhealthy, or failed. It is written as soon as a revision was dispatched
//     without being healthy at once, and also when it cannot be rendered or applied, or its workflow failed; the conditions
//     say which.
//   - true: this very reconcile rendered the revision, the tracker holds that rendering, what is not rendered any more is gone,
//     every object was seen on the cluster as the last apply left it, its controller has caught up, no old pods are left,
//     outputs that read what is live of others were rendered over just that, Components that are outputs are healthy
//     themselves, and the definition says healthy (package health has the exact rule).
//
// Status is written once, at the end of a reconcile, under the resource version that the reconcile read. So a revision that was
// superseded meanwhile is never reported, neither as true nor as false. Only a workflow makes more writes: one before anything
// is done for an event, and one after each step that acts where nothing but its identity would find it again.
//
// # Lifecycle events
//
// status.event is the create or upgrade event that the Component is in, or was in last. What it is to become is compared with
// what that event was about: hashes of the definition, of the traits and of the resolved properties. A change begins a new
// event; a revision that changes none of them is echoed and nothing more. The context of an event stays what definitions see
// until the next one begins, so that nothing is rendered anew merely because an event is over.
//
// An event is completed when everything is applied and its workflow, if the definition has one, has succeeded. One that is
// not makes whatever comes next an event too, and keeps its flags up: it may have left something half done. A definition
// without a workflow has events all the same, and they are over in one reconcile.
package component
