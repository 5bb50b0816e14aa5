package render

import (
	"fmt"
	"strconv"
	"strings"
)

// writer writes CUE as bytes decide: objects that are small and alike, so that a patch often meets what it is for.
type writer struct {
	choices []byte
	// comments are written before fields, where there are any.
	comments []string
	// plain leaves out what JSON does not have.
	plain bool
}

var (
	fuzzKeys     = []string{"a", "b", "name", "list", "spec", "with-dash", "#hash", "if"}
	fuzzScalars  = []string{"1", "2", `"x"`, `"y"`, "true", "null"}
	fuzzDefaults = []string{"*1 | int", `*"x" | string`, "*true | bool", "[...]", "[...{a: 1}]", "{...}", "int", "context.name"}
	fuzzComments = []string{"", "", "", "// +patchKey=name", "// +patchKey=a.b,name", "// +patchKey=", "// +patchStrategy=retainKeys", "// +patchStrategy=replace",
		"// +patchStrategy=jsonMergePatch", "// +patchStrategy=jsonPatch", "// +patchStrategy=open", "// +patchKey=name\n// +patchStrategy=replace"}
)

func (w *writer) pick(from []string) string { return from[w.next(len(from))] }

func (w *writer) next(below int) int {
	if len(w.choices) == 0 {
		return 0
	}
	choice := int(w.choices[0])
	w.choices = w.choices[1:]
	return choice % below
}

func (w *writer) value(depth int) string {
	switch kind := w.next(8); {
	case kind < 2 && depth > 0:
		return w.object(depth)
	case kind < 4 && depth > 0:
		return w.list(depth)
	case kind == 4 && !w.plain:
		return w.pick(fuzzDefaults)
	}
	return w.pick(fuzzScalars)
}

func (w *writer) object(depth int) string {
	var text strings.Builder
	text.WriteString("{\n")
	taken := map[string]bool{}
	for range w.next(4) + 1 {
		key := w.pick(fuzzKeys)
		if taken[key] {
			continue
		}
		taken[key] = true
		if len(w.comments) > 0 {
			text.WriteString(w.pick(w.comments) + "\n")
		}
		fmt.Fprintf(&text, "%s: %s\n", strconv.Quote(key), w.value(depth-1))
	}
	text.WriteString("}")
	return text.String()
}

// list is often one of objects that have names, as most lists of Kubernetes are.
func (w *writer) list(depth int) string {
	var items []string
	named := w.next(2) == 0
	for range w.next(4) {
		if named {
			items = append(items, fmt.Sprintf("{name: %s, v: %s}", w.pick([]string{`"x"`, `"y"`, `"z"`, `"w"`}), w.value(depth-2)))
			continue
		}
		items = append(items, w.value(depth-1))
	}
	return "[" + strings.Join(items, ", ") + "]"
}
