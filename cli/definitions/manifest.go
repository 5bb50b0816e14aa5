package definitions

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// WriteYAML writes definitions as kubectl applies them. CUE stands there as its author wrote it, so that a change reads
// well in git: an encoder would put every text with a tab on one line.
func WriteYAML(out io.Writer, definitions []Definition) error {
	for i, definition := range definitions {
		if i > 0 {
			if _, err := fmt.Fprintln(out, "---"); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(out, definition.yaml()); err != nil {
			return err
		}
	}
	return nil
}

func (d Definition) yaml() string {
	lines := []string{
		"apiVersion: " + corev1alpha1.GroupVersion.String(),
		"kind: " + d.Kind,
		"metadata:",
		"  name: " + plain(d.Name),
		"spec:",
	}
	for _, line := range d.metadata() {
		lines = append(lines, "  "+line)
	}
	lines = append(lines, "  files:")
	for _, name := range slices.Sorted(maps.Keys(d.Content.Files)) {
		lines = append(lines, "    "+plain(name)+": "+block(d.Content.Files[name], 6))
	}
	return strings.Join(lines, "\n") + "\n"
}

// plain is a name in YAML, quoted where it would be read as something else.
func plain(name string) string {
	text, err := yaml.Marshal(name)
	if err != nil {
		return strconv.Quote(name)
	}
	return strings.TrimSpace(string(text))
}

// block is a text in YAML as it stands, every line indented; or on one line in quotes where a block cannot hold it.
func block(text string, indent int) string {
	if !fitsBlock(text) {
		quoted, _ := json.Marshal(text) // fails for no string; JSON is YAML
		return string(quoted)
	}
	header := "|"
	if strings.ContainsAny(text[:1], " \t\n") {
		header += "2" // how far in, as the first line does not tell
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		header += "-"
	case strings.HasSuffix(text, "\n\n"):
		header += "+"
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", indent) + line
		}
	}
	return header + "\n" + strings.Join(lines, "\n")
}

// fitsBlock tells whether a block brings a text back as it is.
func fitsBlock(text string) bool {
	if strings.TrimSpace(text) == "" || !utf8.ValidString(text) {
		return false
	}
	last := text[strings.LastIndexByte(strings.TrimRight(text, "\n"), '\n')+1:]
	return strings.TrimSpace(last) != "" && !strings.ContainsFunc(text, func(char rune) bool {
		switch char {
		case '\n', '\t':
			return false
		case 0x7f, 0x85, 0x2028, 0x2029, 0xfeff: // a control character, other ends of lines, and a mark of byte order
			return true
		}
		return char < ' ' || char > 0x7f && char < 0xa0
	})
}

// WriteJSON writes definitions as one list, as kubectl applies it.
func WriteJSON(out io.Writer, definitions []Definition) error {
	items := make([]any, 0, len(definitions))
	for _, definition := range definitions {
		items = append(items, map[string]any{
			"apiVersion": corev1alpha1.GroupVersion.String(), "kind": definition.Kind,
			"metadata": map[string]any{"name": definition.Name}, "spec": definition.Content,
		})
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}
