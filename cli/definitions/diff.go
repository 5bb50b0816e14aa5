package definitions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/offline"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Diff compares the definitions of a folder with those of a cluster, and returns a text for each that differs, in a stable
// order. Definitions that are only on the cluster count with all.
func Diff(ctx context.Context, cluster client.Client, folder []Definition, all bool) ([]string, error) {
	live, err := list(ctx, cluster, folder)
	if err != nil {
		return nil, err
	}
	return differences(live, folder, all), nil
}

func differences(live, folder []Definition, all bool) []string {
	var texts []string
	for _, wanted := range folder {
		i := slices.IndexFunc(live, func(one Definition) bool { return compare(one, wanted) == 0 })
		if i < 0 {
			texts = append(texts, fmt.Sprintf("Only in the folder: %s %s (%s)\n", wanted.Kind, wanted.Name, wanted.Place))
			continue
		}
		if text := difference(live[i], wanted); text != "" {
			texts = append(texts, text)
		}
	}
	for _, one := range live {
		if all && !slices.ContainsFunc(folder, func(wanted Definition) bool { return compare(one, wanted) == 0 }) {
			texts = append(texts, fmt.Sprintf("Only on the cluster: %s %s\n", one.Kind, one.Name))
		}
	}
	return texts
}

// difference is how a definition on the cluster differs from that in the folder, part by part; empty where it does not.
func difference(live, wanted Definition) string {
	before, after := live.parts(), wanted.parts()
	var text strings.Builder
	for _, part := range differingParts(live, wanted) {
		fmt.Fprintf(&text, "--- cluster: %s %s, %s\n+++ folder: %s, %s\n", live.Kind, live.Name, part, wanted.Place, part)
		for _, line := range offline.Difference(lines(before[part]), lines(after[part])) {
			fmt.Fprintln(&text, line)
		}
	}
	return text.String()
}

// lines are those of a text, which may lack the end of its last one.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	whole, ended := strings.CutSuffix(text, "\n")
	split := strings.Split(whole, "\n")
	if !ended {
		split = append(split, `\ no end of line`)
	}
	return split
}

// list reads the definitions of a cluster. A kind that the cluster does not know is an error where the folder has one of it.
func list(ctx context.Context, cluster client.Client, folder []Definition) ([]Definition, error) {
	var found []Definition
	for kind, objects := range map[string]client.ObjectList{
		componentKind: &corev1alpha1.ComponentDefinitionList{},
		traitKind:     &corev1alpha1.TraitDefinitionList{},
		stepKind:      &corev1alpha1.WorkflowStepDefinitionList{},
	} {
		err := cluster.List(ctx, objects)
		if isNotServed(err) && !slices.ContainsFunc(folder, func(wanted Definition) bool { return wanted.Kind == kind }) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the cluster's objects of kind %s: %w", kind, explain(err))
		}
		err = meta.EachListItem(objects, func(item runtime.Object) error {
			found = append(found, fromObject(item.(client.Object)))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading the cluster's objects of kind %s: %w", kind, err)
		}
	}
	slices.SortFunc(found, compare)
	return found, nil
}
