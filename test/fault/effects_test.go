package fault

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// effects are what the events of a Component have done to the cluster, as far as it can be seen.
type effects struct {
	// Jobs by step.
	Jobs map[string]int
	// Release are the revisions of its Helm release.
	Release string
	// Objects are the ConfigMaps with its name, those of the release among them.
	Objects []string
	// Text is what its own ConfigMap shows.
	Text string
}

// expected are the effects of a whole Component when its events are over.
var expected = map[string]func(name string) effects{
	"create": func(name string) effects {
		return effects{Jobs: map[string]int{"before": 1, "behind": 1}, Release: "1 deployed", Text: "A",
			Objects: []string{name + "-a", name + "-badge", name + "-chart", name + "-config"}}
	},
	"upgrade": func(name string) effects {
		return effects{Jobs: map[string]int{"before": 2, "behind": 2}, Release: "1 superseded, 2 deployed", Text: "B",
			Objects: []string{name + "-badge", name + "-chart", name + "-config"}}
	},
	"delete": func(string) effects {
		return effects{Jobs: map[string]int{"before": 2, "behind": 2, "undo": 1}}
	},
}

func (l *lane) effects(name string) effects {
	l.t.Helper()
	found := effects{Jobs: map[string]int{}}
	for _, job := range l.jobs(name) {
		found.Jobs[job.Annotations["workflow.wheelwright.dev/step"]]++
	}
	secrets := &corev1.SecretList{}
	l.must(shared.client.List(context.Background(), secrets, client.InNamespace(l.ns), client.MatchingLabels{"owner": "helm", "name": name}))
	var revisions []string
	for i := range secrets.Items {
		labels := secrets.Items[i].Labels
		revisions = append(revisions, labels["version"]+" "+labels["status"])
	}
	slices.Sort(revisions)
	found.Release = strings.Join(revisions, ", ")
	configs := &corev1.ConfigMapList{}
	l.must(shared.client.List(context.Background(), configs, client.InNamespace(l.ns)))
	for i := range configs.Items {
		if strings.HasPrefix(configs.Items[i].Name, name+"-") {
			found.Objects = append(found.Objects, configs.Items[i].Name)
		}
		if configs.Items[i].Name == name+"-config" {
			found.Text = configs.Items[i].Data["text"]
		}
	}
	return found
}

func (l *lane) jobs(name string) []batchv1.Job {
	l.t.Helper()
	jobs := &batchv1.JobList{}
	l.must(shared.client.List(context.Background(), jobs,
		client.InNamespace(l.ns), client.MatchingLabels{corev1alpha1.ComponentNameLabel: name}))
	return jobs.Items
}

// wantEffects compares what a whole Component's events have done with what they are to do once.
func (l *lane) wantEffects(name, event, when string) bool {
	l.t.Helper()
	diff := cmp.Diff(expected[event](name), l.effects(name))
	if event != "delete" {
		diff += cmp.Diff(trackedOf(name, event), l.tracked(name))
	}
	if diff != "" {
		l.t.Errorf("%s: after the %s event of %s (-want +got):\n%s", when, event, name, diff)
	}
	return diff == ""
}

// trackedOf is what the tracker of a whole Component is to hold: all of its objects but those of the release.
func trackedOf(name, event string) []string {
	return slices.DeleteFunc(expected[event](name).Objects, func(object string) bool { return object == name+"-chart" })
}

func (l *lane) tracked(name string) []string {
	l.t.Helper()
	tracker := &corev1alpha1.ResourceTracker{}
	err := shared.client.Get(context.Background(), client.ObjectKey{Name: l.ns + "." + name}, tracker)
	l.must(client.IgnoreNotFound(err))
	var names []string
	for _, resource := range tracker.Spec.Resources {
		names = append(names, resource.Name)
	}
	slices.Sort(names)
	return names
}

// wantTold demands that an event was told once, or at most so many times: an answer that is lost makes the agent tell it again.
func (l *lane) wantTold(name, event, when string, most int) int {
	l.t.Helper()
	told := l.receiver.of(l.t, name, event)
	if told < 1 || told > most {
		l.t.Errorf("%s: the %s event of %s was told %d times, want %s", when, event, name, told, atMost(most))
	}
	return told
}

func atMost(most int) string {
	if most == 1 {
		return "once"
	}
	return fmt.Sprintf("once, or at most %d times", most)
}
