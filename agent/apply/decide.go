package apply

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// decision is what to do about one object.
type decision int

const (
	// write: the object is not known to be as it should be.
	write decision = iota
	// keep: the live object is what the last apply made it, and that is what is wanted.
	keep
	// await: what is wanted was applied, and the watch has not shown it yet. Its event will come.
	await
)

// decide compares what is wanted with the last apply and with the live object that the watch shows, which is nil when it
// shows none. behind says that the watch has not come to the last apply.
//
// A generation grows with every change of an object's spec, whoever makes it, and with nothing else. Where a kind has none, any change
// at all is taken for drift, and so it is where the generation never grows. Labels and annotations move no generation, and are
// compared by themselves.
func decide(wanted Object, last applied, live *unstructured.Unstructured, behind bool) decision {
	switch {
	case last.hash != wanted.Hash:
		return write
	case behind && (live == nil || live.GetUID() != last.uid || resourceversion.Older(live.GetResourceVersion(), last.resourceVersion)):
		return await
	case live == nil || live.GetUID() != last.uid:
		return write
	case live.GetResourceVersion() == last.resourceVersion:
		return keep
	case resourceversion.Older(live.GetResourceVersion(), last.resourceVersion):
		// The watch has come further than what its store shows; the store is about to follow.
		return await
	case last.generation == 0 || isUncounted(wanted.Key) || live.GetGeneration() != last.generation:
		return write
	case !includes(live.GetLabels(), wanted.Output.Object.GetLabels()):
		return write
	case !includes(live.GetAnnotations(), wanted.Output.Object.GetAnnotations()):
		return write
	}
	return keep
}

// isUncounted tells kinds to which the API server gives a generation once, and never another.
func isUncounted(key object.Key) bool {
	return key.Group == "scheduling.k8s.io" && key.Kind == "PriorityClass"
}

func includes(all, some map[string]string) bool {
	for key, value := range some {
		if got, ok := all[key]; !ok || got != value {
			return false
		}
	}
	return true
}
