package agent_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/invariant"
)

// record holds every version of every Component and ConfigMap of a namespace, in the order in which the API server made
// them: resource versions are numbers that grow over all kinds.
type record struct {
	mutex      sync.Mutex
	components []*corev1alpha1.Component
	configs    []configVersion
	unchecked  bool
	stop       func()
}

// configVersion is a ConfigMap at one resource version; without data it was deleted then.
type configVersion struct {
	version uint64
	name    string
	data    map[string]string
}

func startRecord(t testing.TB, spokeClient client.WithWatch, namespace string) *record {
	t.Helper()
	r := &record{}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for _, list := range []client.ObjectList{&corev1alpha1.ComponentList{}, &corev1.ConfigMapList{}} {
		watcher, err := spokeClient.Watch(ctx, list, client.InNamespace(namespace))
		if err != nil {
			t.Fatal(err)
		}
		group.Add(1)
		go func() {
			defer group.Done()
			for event := range watcher.ResultChan() {
				r.add(event)
			}
		}()
	}
	r.stop = func() { cancel(); group.Wait() }
	return r
}

func (r *record) add(event watch.Event) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch object := event.Object.(type) {
	case *corev1alpha1.Component:
		r.components = append(r.components, object)
	case *corev1.ConfigMap:
		version := configVersion{version: number(object.ResourceVersion), name: object.Name}
		if event.Type != watch.Deleted {
			version.data = object.Data
		}
		r.configs = append(r.configs, version)
	}
}

// statuses gives every version of a Component.
func (r *record) statuses(name string) []*corev1alpha1.Component {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []*corev1alpha1.Component
	for _, component := range r.components {
		if component.Name == name {
			found = append(found, component)
		}
	}
	return found
}

// configAt gives the data that a ConfigMap had when the API server made version.
func (r *record) configAt(name string, version uint64) map[string]string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var data map[string]string
	for _, config := range r.configs {
		if config.name == name && config.version <= version {
			data = config.data
		}
	}
	return data
}

// discard leaves the record unchecked.
func (r *record) discard() { r.unchecked = true }

// finish ends the record and checks the invariants of every status that was ever written.
func (r *record) finish(t testing.TB) {
	t.Helper()
	r.stop()
	if r.unchecked {
		return
	}
	revisions := map[string]string{}
	for _, component := range r.components {
		revisions[fmt.Sprint(component.UID, component.Generation)] = component.Spec.Revision
	}
	for _, component := range r.components {
		revision := func(generation int64) string { return revisions[fmt.Sprint(component.UID, generation)] }
		for _, broken := range invariant.OfComponent(component, revision) {
			t.Errorf("Component %s at version %s: %s\nstatus: %s", component.Name, component.ResourceVersion, broken, pretty(component.Status))
		}
	}
}

func number(version string) uint64 {
	parsed, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic(err) // a test cannot go on without order
	}
	return parsed
}
