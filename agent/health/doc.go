// Package health judges the live objects of a Component. It is pure.
//
// A verdict of healthy is about what was applied last, and never about what ran before it. So there are three gates before
// the definition's own expression is asked, each of which a live object passes by itself:
//
//  1. It has been seen as the last apply left it (package apply settles that).
//  2. Its controller has observed that: where the status has an observedGeneration it is not below metadata.generation.
//     The workloads of apps always get one, so there its absence means that nothing was observed yet.
//  3. Where its controller replaces pods, the replacement is over: no old pod is counted in the status any more. An expression over
//     readyReplicas is true of the old pods too, all through a rollout. This holds for Deployments, and for StatefulSets
//     and DaemonSets unless their strategy leaves pods to the user.
//
// The third gate asks nothing of kinds that it does not know, so that a custom resource whose status follows no convention is
// judged by its definition alone. And it does not ask for every pod to be ready: how many must be is the definition's business.
//
// A definition without isHealthy is judged by kstatus: every object must be Current.
package health
