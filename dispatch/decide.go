package dispatch

import workv1 "open-cluster-management.io/api/work/v1"

// Action is what a delivery needs.
type Action string

// Actions of Decide.
const (
	// Create: there is no work.
	Create Action = "Create"
	// Update: the owner's work carries other content.
	Update Action = "Update"
	// Keep: the work carries this content; nothing is written.
	Keep Action = "Keep"
	// Claimed: the work belongs to another owner and is left alone.
	Claimed Action = "Claimed"
	// Wait: the work is being deleted; its name is free again when it is gone.
	Wait Action = "Wait"
)

// Decide compares a delivery with the work of its name, nil where there is none.
func Decide(d Delivery, existing *workv1.ManifestWork) Action {
	switch {
	case existing == nil:
		return Create
	case existing.Labels[OwnerUIDLabel] != string(d.Owner.UID):
		return Claimed
	case !existing.DeletionTimestamp.IsZero():
		return Wait
	case d.Content.Is(existing.Annotations[ContentHashAnnotation]):
		return Keep
	default:
		return Update
	}
}
