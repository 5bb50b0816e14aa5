package definitions

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"wheelwright.dev/wheelwright/shared/definition"
)

// parts are the texts that make a definition: its files, and what it holds beside them, named as in a folder.
func (d Definition) parts() map[string]string {
	parts := map[string]string{definition.MetadataFile: strings.Join(d.metadata(), "\n") + "\n"}
	maps.Copy(parts, d.Content.Files)
	return parts
}

// metadata is what a definition holds beside its files, in lines of YAML.
func (d Definition) metadata() []string {
	lines := []string{"apiVersion: " + d.Content.APIVersion}
	if d.Content.Version != "" {
		lines = append(lines, "version: "+strconv.Quote(d.Content.Version))
	}
	if d.Content.Phase != "" {
		lines = append(lines, "phase: "+d.Content.Phase)
	}
	if len(d.Content.AppliesTo) > 0 {
		lines = append(lines, "appliesTo:")
	}
	for _, typ := range slices.Sorted(slices.Values(d.Content.AppliesTo)) {
		lines = append(lines, "  - "+strconv.Quote(typ))
	}
	return lines
}

// differingParts names the parts that differ, in a stable order.
func differingParts(one, other Definition) []string {
	first, second := one.parts(), other.parts()
	all := maps.Clone(first)
	maps.Copy(all, second)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
		a, inFirst := first[name]
		b, inSecond := second[name]
		return inFirst == inSecond && a == b
	})
}
