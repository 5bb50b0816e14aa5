// Package condition is the one vocabulary of condition types and reasons that users, scripts and alerts may rely on.
package condition

// Condition types of a Component: Ready, which sums up, Progressing and Stalled, of which one is True as long as it is not Ready,
// and the stages of the pipeline in their order.
const (
	// Ready is True when the object is what its spec says and healthy.
	Ready = "Ready"
	// Progressing is True as long as the object is not Ready and may become so by itself.
	Progressing = "Progressing"
	// Stalled is True when the object is not Ready and nothing but a change will make it so, or when it has been on its way for
	// longer than it may.
	Stalled = "Stalled"
	// Verified is True when it is known where the Component comes from, and so whose rights it has.
	Verified = "Verified"
	// Rendered is True when the definition was loaded and evaluated with the Component's properties.
	Rendered = "Rendered"
	// Workflow is True when the workflow of the last event has succeeded. Only Components whose definition has one have it.
	Workflow = "Workflow"
	// Applied is True when everything that was rendered is on the cluster and what is no longer rendered is gone.
	Applied = "Applied"
	// Healthy is True when the definition's health expression holds for the live objects.
	Healthy = "Healthy"
)

// Condition types of an Application, beside Ready.
const (
	// Accepted is True when the spec is valid: definitions resolve, properties fit them and dependencies form no cycle.
	Accepted = "Accepted"
	// Placed is True when the placement selects clusters that the namespace may reach.
	Placed = "Placed"
	// Dispatched is True when every wanted object is in its work, on every selected cluster.
	Dispatched = "Dispatched"
)

// Reasons. Each is used with one meaning, whatever the condition.
const (
	// ReasonReady: everything is as wanted.
	ReasonReady = "Ready"
	// ReasonProgressing: on the way; nothing is wrong yet.
	ReasonProgressing = "Progressing"
	// ReasonWaiting: on the way, held up by something that is not the object's own: another Component, a step, a person.
	ReasonWaiting = "Waiting"
	// ReasonProgressDeadlineExceeded: on the way for longer than the progress deadline.
	ReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"
	// ReasonFromHub: the hub dispatched the Component.
	ReasonFromHub = "FromHub"
	// ReasonStandalone: a person applied the Component.
	ReasonStandalone = "Standalone"
	// ReasonComposed: the Component is part of another one, which the hub dispatched.
	ReasonComposed = "Composed"
	// ReasonAltered: the Component is part of another one, and is not what that one rendered.
	ReasonAltered = "Altered"
	// ReasonDeleting: being deleted; the message names what is still there.
	ReasonDeleting = "Deleting"
	// ReasonAccepted: the spec is valid.
	ReasonAccepted = "Accepted"
	// ReasonDefinitionNotFound: no definition of that name.
	ReasonDefinitionNotFound = "DefinitionNotFound"
	// ReasonDefinitionInvalid: the definition's CUE does not compile, or lacks what a definition needs.
	ReasonDefinitionInvalid = "DefinitionInvalid"
	// ReasonInvalidProperties: properties do not fit the definition's parameters.
	ReasonInvalidProperties = "InvalidProperties"
	// ReasonDependencyCycle: dependsOn goes round in a circle.
	ReasonDependencyCycle = "DependencyCycle"
	// ReasonUnknownDependency: dependsOn names no component.
	ReasonUnknownDependency = "UnknownDependency"
	// ReasonTooLarge: an object does not fit into a ManifestWork.
	ReasonTooLarge = "TooLarge"
	// ReasonUnknownCluster: no ManagedCluster of that name.
	ReasonUnknownCluster = "UnknownCluster"
	// ReasonClusterNotBound: the cluster is in no ManagedClusterSet that is bound to the namespace.
	ReasonClusterNotBound = "ClusterNotBound"
	// ReasonNoClusters: the placement selects nothing; what was delivered stays.
	ReasonNoClusters = "NoClusters"
	// ReasonPlaced: clusters are selected.
	ReasonPlaced = "Placed"
	// ReasonClaimed: another owner delivers an object of that name to that cluster.
	ReasonClaimed = "Claimed"
	// ReasonDispatched: every work is written.
	ReasonDispatched = "Dispatched"
	// ReasonDispatchFailed: the hub's API refused the work.
	ReasonDispatchFailed = "DispatchFailed"
	// ReasonWaitingForDependency: an upstream component is not healthy yet.
	ReasonWaitingForDependency = "WaitingForDependency"
	// ReasonWaitingForOutput: an output reads what is not there yet of the live object of another one.
	ReasonWaitingForOutput = "WaitingForOutput"
	// ReasonCompositionRefused: a component is made of itself, or of too many, one within the other.
	ReasonCompositionRefused = "CompositionRefused"
	// ReasonUnhealthy: the spoke says that the current revision is not healthy.
	ReasonUnhealthy = "Unhealthy"
	// ReasonUnknown: the state cannot be read.
	ReasonUnknown = "Unknown"
	// ReasonHealthy: healthy at the current revision.
	ReasonHealthy = "Healthy"
	// ReasonRendered: rendered without a problem.
	ReasonRendered = "Rendered"
	// ReasonRenderFailed: the definition cannot be evaluated with these properties.
	ReasonRenderFailed = "RenderFailed"
	// ReasonEvaluationExceeded: evaluating the definition took more time or memory than it may, and was ended.
	ReasonEvaluationExceeded = "EvaluationExceeded"
	// ReasonApplied: all objects are applied.
	ReasonApplied = "Applied"
	// ReasonApplyFailed: an object was refused by the API server.
	ReasonApplyFailed = "ApplyFailed"
	// ReasonTrackerRebuilt: the record of what is applied was damaged, and is made anew.
	ReasonTrackerRebuilt = "TrackerRebuilt"
	// ReasonOwnedByAnother: an object belongs to another Component.
	ReasonOwnedByAnother = "OwnedByAnother"
	// ReasonRollingOut: live objects have not caught up with what was applied.
	ReasonRollingOut = "RollingOut"
	// ReasonHealthCheckFailed: the health expression itself is broken.
	ReasonHealthCheckFailed = "HealthCheckFailed"
	// ReasonExportsFailed: healthy, but an export cannot be evaluated.
	ReasonExportsFailed = "ExportsFailed"
	// ReasonUnresolved: a property takes its value from something that is not there.
	ReasonUnresolved = "Unresolved"
	// ReasonUnusedParameter: a property is accepted and has no effect. It is the reason of events only.
	ReasonUnusedParameter = "UnusedParameter"
	// ReasonTraitFailed: healthy, but a trait cannot add what it adds to a healthy component.
	ReasonTraitFailed = "TraitFailed"
	// ReasonWorkflowRunning: the workflow of an event runs; the message says what it waits for.
	ReasonWorkflowRunning = "WorkflowRunning"
	// ReasonWorkflowSuspended: the workflow waits for a person, or for a time.
	ReasonWorkflowSuspended = "WorkflowSuspended"
	// ReasonWorkflowSucceeded: every step of the workflow has run.
	ReasonWorkflowSucceeded = "WorkflowSucceeded"
	// ReasonWorkflowFailed: a step failed for good. The event is over, and a new revision or a restart begins another try.
	ReasonWorkflowFailed = "WorkflowFailed"
	// ReasonWorkflowTerminated: a person or a step ended the workflow.
	ReasonWorkflowTerminated = "WorkflowTerminated"
)
