package agent_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
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
		for _, broken := range brokenInvariants(component, revisions) {
			t.Errorf("Component %s at version %s: %s\nstatus: %s", component.Name, component.ResourceVersion, broken, pretty(component.Status))
		}
	}
}

// brokenInvariants checks one status. revisions has spec.revision by UID and generation.
func brokenInvariants(component *corev1alpha1.Component, revisions map[string]string) []string {
	var broken []string
	demand := func(holds bool, format string, args ...any) {
		if !holds {
			broken = append(broken, fmt.Sprintf(format, args...))
		}
	}
	status := component.Status
	healthy := len(status.Health) == 1 && status.Health[0].IsHealthy
	is := func(typ string) bool { return meta.IsStatusConditionTrue(status.Conditions, typ) }

	demand(!is(condition.Ready) || is(condition.Rendered) && is(condition.Applied) && is(condition.Healthy), "Ready is True and a stage is not")
	demand(!is(condition.Healthy) || is(condition.Applied), "Healthy is True and Applied is not")
	demand(!is(condition.Applied) || is(condition.Rendered) || component.DeletionTimestamp != nil, "Applied is True and Rendered is not")
	demand(len(status.Health) <= 1, "status.health has more than one entry")
	demand(!healthy || is(condition.Healthy), "status.health is true and Healthy is not True")
	demand(len(status.Health) == 0 || status.IsHealthy != nil && *status.IsHealthy == healthy, "status.isHealthy is not what status.health says")
	demand(status.IsHealthy == nil || *status.IsHealthy == is(condition.Healthy), "status.isHealthy is not what condition Healthy says")
	demand(status.Exports == nil || is(condition.Healthy), "exports are kept without health")
	for _, entry := range status.Health {
		wanted := revisions[fmt.Sprint(component.UID, status.ObservedGeneration)]
		demand(entry.Revision == wanted, "status.health is of revision %s, but generation %d has revision %s", entry.Revision, status.ObservedGeneration, wanted)
	}
	for _, one := range status.Conditions {
		demand(one.ObservedGeneration == status.ObservedGeneration || component.DeletionTimestamp != nil,
			"condition %s is of generation %d, the status of %d", one.Type, one.ObservedGeneration, status.ObservedGeneration)
		demand(one.Reason != "" && one.Message != "", "condition %s has no reason or message", one.Type)
		demand(one.Status != metav1.ConditionUnknown || status.IsHealthy == nil, "condition %s is Unknown beside a judgement", one.Type)
	}
	return broken
}

func number(version string) uint64 {
	parsed, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic(err) // a test cannot go on without order
	}
	return parsed
}
