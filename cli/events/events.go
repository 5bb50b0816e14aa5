// Package events shows what happened to a Component and to everything that it owns, as Kubernetes' events tell it.
package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/cli/terminal"
)

// Entry is one event, which may have happened more than once.
type Entry struct {
	Time      time.Time `json:"time"`
	Count     int32     `json:"count"`
	Type      string    `json:"type"`
	Kind      string    `json:"kind"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	Reason    string    `json:"reason"`
	Message   string    `json:"message"`
}

// defaultNamespace is where Kubernetes keeps the events of objects that are in no namespace.
const defaultNamespace = metav1.NamespaceDefault

// List reads the events of a tree, the oldest first: one list for each namespace that it reaches into. A namespace whose events may
// not be read takes nothing away from the others; the error then names it, beside the events that could be read.
func List(ctx context.Context, reader client.Reader, tree *live.Node) ([]Entry, error) {
	belongs := membersOf(tree)
	var entries []Entry
	var failures []error
	for _, namespace := range namespaces(tree) {
		found := &corev1.EventList{}
		if err := reader.List(ctx, found, client.InNamespace(namespace)); err != nil {
			failures = append(failures, fmt.Errorf("reading the events of namespace %s: %w", namespace, err))
			continue
		}
		for i := range found.Items {
			if belongs.knows(found.Items[i].InvolvedObject) {
				entries = append(entries, entryOf(&found.Items[i]))
			}
		}
	}
	sortEntries(entries)
	return entries, errors.Join(failures...)
}

func sortEntries(entries []Entry) {
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Name, b.Name)) })
}

// namespaces are those that hold events of the tree.
func namespaces(tree *live.Node) []string {
	found := map[string]bool{}
	tree.Walk(func(node *live.Node) { found[cmp.Or(node.Namespace, defaultNamespace)] = true })
	return slices.Sorted(maps.Keys(found))
}

// entryOf reads an event of either generation: those with a series have no count of their own.
func entryOf(event *corev1.Event) Entry {
	last := event.LastTimestamp.Time
	count := event.Count
	if series := event.Series; series != nil {
		last, count = series.LastObservedTime.Time, series.Count
	}
	for _, other := range []time.Time{event.EventTime.Time, event.FirstTimestamp.Time, event.CreationTimestamp.Time} {
		if last.IsZero() {
			last = other
		}
	}
	about := event.InvolvedObject
	return Entry{
		Time: last, Count: max(count, 1), Type: terminal.Clean(event.Type),
		Kind: terminal.Clean(about.Kind), Namespace: about.Namespace, Name: terminal.Clean(about.Name),
		Reason: terminal.Clean(event.Reason), Message: terminal.Clean(event.Message),
	}
}

// Print writes entries as a table.
func Print(out io.Writer, entries []Entry, now time.Time) error {
	rows := [][]string{{"AGE", "COUNT", "TYPE", "OBJECT", "REASON", "MESSAGE"}}
	for _, entry := range entries {
		rows = append(rows, entry.row(now))
	}
	return terminal.Table(out, rows)
}

func (e Entry) row(now time.Time) []string {
	return []string{
		duration.HumanDuration(max(now.Sub(e.Time), 0)), strconv.Itoa(int(e.Count)), e.Type,
		object.Key{Kind: e.Kind, Namespace: e.Namespace, Name: e.Name}.String(), e.Reason, e.Message,
	}
}

// PrintLine writes one entry as a line by itself, for those that come one by one.
func (e Entry) PrintLine(out io.Writer) error {
	about := object.Key{Kind: e.Kind, Namespace: e.Namespace, Name: e.Name}
	line := fmt.Sprintf("%s  %dx  %-7s  %s  %s: %s", e.Time.Local().Format(time.TimeOnly), e.Count, e.Type, about, e.Reason, e.Message)
	_, err := fmt.Fprintln(out, terminal.Cut(line, terminal.Width(out)))
	return err
}
