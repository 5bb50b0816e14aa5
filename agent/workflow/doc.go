// Package workflow runs the lifecycle workflow of a component definition (KEP-2.2): the block `create` on every create and
// upgrade event, the block `delete` on deletion. It embeds kubevela/workflow and fences it in: besides shared/patch, which
// uses its patch code, no other package imports it, and everything that it keeps for the whole process is set in fence.go.
//
// # One pass
//
// Engine.Run makes one pass over one event: it runs what can run now and returns. A step that has to wait says so and is
// asked again in the next pass; nothing blocks. All that is known of an event is in Run, which the caller keeps in the
// Component's status between passes: there is no other memory, so a pass may be made by any process.
//
// # Lazy lists
//
// An element of the list is evaluated right before each of its steps runs, over context.steps of all that finished before.
// An element that is done with is not evaluated again, so what its steps changed cannot take it back. One that has begun
// must give the same steps again, by name, as far as they have begun; where it does not, the event fails and says so.
//
// # What is promised
//
// A step that is recorded as finished is never run again in its event. A step whose end was not recorded, since the process
// ended first, is run again under the same Identity, by which Jobs and actions find what they made before.
//
// # What of the engine is used
//
// The templates of custom steps run on the engine's own task runner, with its compiler and its providers. The sequence of
// steps is kept here (see docs/decisions/0008-workflow-engine.md for why).
package workflow
