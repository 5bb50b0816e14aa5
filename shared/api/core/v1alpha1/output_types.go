package v1alpha1

// Annotations by which an output says how its object is applied and kept. The first three are the KEP's.
const (
	// ApplyStrategyAnnotation says how often an object is applied: always, which is the default, or once.
	ApplyStrategyAnnotation = "component.oam.dev/apply-strategy"
	ApplyAlways             = "always"
	ApplyOnce               = "once"

	// OwnershipAnnotation says whose an object is. Without it, it is the Component's that renders it, and of nobody else.
	OwnershipAnnotation = "component.oam.dev/ownership"
	OwnershipTakeOver   = "take-over"
	OwnershipReadOnly   = "read-only"
	OwnershipShared     = "shared"

	// GCStrategyAnnotation says what becomes of an object that is not rendered any more: delete, which is the default, or retain.
	GCStrategyAnnotation = "component.oam.dev/gc-strategy"
	GCDelete             = "delete"
	GCRetain             = "retain"

	// RecreateAnnotation set to "true" lets an object be deleted and made again where a change is refused because a field is
	// immutable.
	RecreateAnnotation = "core.wheelwright.dev/recreate-on-immutable"
)

// Annotations that the agent puts on the objects of outputs.
const (
	// AppliedHashAnnotation holds the hash of the rendering that was applied last.
	AppliedHashAnnotation = "core.wheelwright.dev/applied-hash"
	// SharedByAnnotation holds the Components that share an object with its owner, as namespace/name/uid, sorted and separated by
	// commas.
	SharedByAnnotation = "core.wheelwright.dev/shared-by"
)
