package cue

import (
	"fmt"
	"regexp"
	"strconv"
)

// StatusPath names a value in a live object, for context.status.<output>.<name>.
type StatusPath struct {
	// Name of the value.
	Name string
	// Path as the definition spells it, such as .status.readyReplicas or .status.loadBalancer.ingress[0].ip.
	Path string

	segments []any
}

// segmentPattern is one step of a path: .field, [3], or ['any key'] and ["any key"] for fields that a dot would break.
var segmentPattern = regexp.MustCompile(`^(?:\.([A-Za-z0-9_$/-]+)|\[([0-9]+)\]|\['([^']+)'\]|\["([^"]+)"\])`)

// ParseStatusPath reads a path. The error says what a path looks like.
func ParseStatusPath(name, path string) (StatusPath, error) {
	parsed := StatusPath{Name: name, Path: path}
	rest := path
	if rest != "" && rest[0] != '.' && rest[0] != '[' {
		rest = "." + rest
	}
	for rest != "" {
		match := segmentPattern.FindStringSubmatch(rest)
		if match == nil {
			return StatusPath{}, fmt.Errorf("path %q cannot be read at %q: write it as .status.readyReplicas, .status.ingress[0].ip or .metadata.labels['a.b/c']", path, rest)
		}
		rest = rest[len(match[0]):]
		if match[2] == "" {
			parsed.segments = append(parsed.segments, match[1]+match[3]+match[4])
			continue
		}
		index, err := strconv.Atoi(match[2])
		if err != nil {
			return StatusPath{}, fmt.Errorf("path %q has an index that is too large: %s", path, match[2])
		}
		parsed.segments = append(parsed.segments, index)
	}
	if len(parsed.segments) == 0 {
		return StatusPath{}, fmt.Errorf("path %q is empty: write it as .status.readyReplicas", path)
	}
	return parsed, nil
}

// Find gives the value at the path, and whether it is there. A value that is null is there.
func (p StatusPath) Find(object map[string]any) (any, bool) {
	var value any = object
	for _, segment := range p.segments {
		switch segment := segment.(type) {
		case string:
			fields, ok := value.(map[string]any)
			if !ok {
				return nil, false
			}
			if value, ok = fields[segment]; !ok {
				return nil, false
			}
		case int:
			items, ok := value.([]any)
			if !ok || segment >= len(items) {
				return nil, false
			}
			value = items[segment]
		}
	}
	return value, true
}
