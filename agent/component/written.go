package component

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/version"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// writtenVersions remembers the resource version of the last write to each Component, until the cache shows it.
type writtenVersions struct {
	mutex    sync.Mutex
	versions map[types.UID]string
}

func newWrittenVersions() *writtenVersions {
	return &writtenVersions{versions: map[types.UID]string{}}
}

// note remembers component as the API server answered to a write.
func (w *writtenVersions) note(component *corev1alpha1.Component) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.versions[component.UID] = component.ResourceVersion
}

// isAheadOf tells whether component, as the cache shows it, is older than the last write.
func (w *writtenVersions) isAheadOf(component *corev1alpha1.Component) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	written, ok := w.versions[component.UID]
	if ok && version.Older(component.ResourceVersion, written) {
		return true
	}
	delete(w.versions, component.UID)
	return false
}

func (w *writtenVersions) forget(uid types.UID) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.versions, uid)
}
