package offline

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

// updateCase writes new expectations into the file of a case and leaves the rest of it as it is.
func updateCase(folder *os.Root, file string, expect expectation) error {
	content, err := folder.ReadFile(file)
	if err != nil {
		return fmt.Errorf("updating %s: %w", file, err)
	}
	block, err := yaml.Marshal(map[string]any{"expect": expect})
	if err != nil {
		return fmt.Errorf("updating %s: %w", file, err)
	}
	updated, err := replaceExpect(string(content), string(block))
	if err != nil {
		return fmt.Errorf("updating %s: %w", file, err)
	}
	if err := folder.WriteFile(file, []byte(updated), 0o644); err != nil {
		return fmt.Errorf("updating %s: %w", file, err)
	}
	return nil
}

// replaceExpect puts block in the place of the key expect at the top level of a YAML text, or at its end.
func replaceExpect(text, block string) (string, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "", fmt.Errorf("the case is written in braces: write it as YAML in lines, so that expect can be replaced")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var before, after []string
	found, within := false, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "expect:"):
			found, within = true, true
		case within && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, " "):
			within = false
			after = append(after, line)
		case within:
		case found:
			after = append(after, line)
		default:
			before = append(before, line)
		}
	}
	return strings.Join(before, "") + block + strings.Join(after, ""), nil
}
