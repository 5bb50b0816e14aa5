package component

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// occasion is what may make an event: what a Component is to become, and by which of its generations.
type occasion struct {
	uid        types.UID
	generation int64
	target     corev1alpha1.ProcessedInputs
	// ended is set where the last event came to its end without success.
	ended bool
}

// eventFor is the event that a Component is in: the last one as long as nothing changed, and else a new one.
//
// A revision that asks for what an event is about already is part of that event. Only an event that ended without success is
// tried anew by it. An event that was not completed has left something half done, so what follows it is an event even where it
// leads back to what was completed before; its flags are kept up for the same reason.
func eventFor(last *corev1alpha1.LifecycleEvent, now occasion) *corev1alpha1.LifecycleEvent {
	if last == nil {
		return newEvent(nil, now)
	}
	same := last.Target.DefinitionHash == now.target.DefinitionHash &&
		sameProperties(last.Target, now.target) && sameTraits(last.Target, now.target)
	if !same || now.ended && last.Generation != now.generation {
		return newEvent(last, now)
	}
	kept := last.DeepCopy()
	kept.Target.PropertiesHash, kept.Target.TraitsHash = now.target.PropertiesHash, now.target.TraitsHash
	if !kept.Completed && !now.ended {
		kept.Generation = now.generation
	}
	return kept
}

func newEvent(last *corev1alpha1.LifecycleEvent, now occasion) *corev1alpha1.LifecycleEvent {
	event := &corev1alpha1.LifecycleEvent{Type: corev1alpha1.EventCreate, Generation: now.generation, Target: now.target}
	lastID := ""
	if last != nil {
		lastID = last.ID
	}
	event.ID = eventID(now.uid, lastID, now.generation, now.target)
	if last == nil || last.Type == corev1alpha1.EventCreate && !last.Completed {
		return event
	}
	event.Type = corev1alpha1.EventUpgrade
	event.Current = last.Current
	var pending corev1alpha1.LifecycleEvent
	if last.Completed {
		event.Current = &last.Target
	} else {
		pending = *last
	}
	event.ParamsChanged = pending.ParamsChanged || !sameProperties(*event.Current, now.target)
	event.DefinitionChanged = pending.DefinitionChanged || event.Current.DefinitionHash != now.target.DefinitionHash
	event.TraitsChanged = pending.TraitsChanged || !sameTraits(*event.Current, now.target)
	return event
}

// eventID follows from what is known before the event is written down, so that a pass that is repeated gives the same.
func eventID(parts ...any) string {
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(parts) // neither the parts nor a hash can fail
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
