package directive

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The keys by which a directive is known.
const (
	fromParameter  = "fromParameter"
	fromSource     = "fromSource"
	fromDependency = "fromDependency"
)

// Kinds of sources.
const (
	ConfigMap = "ConfigMap"
	Secret    = "Secret"
)

// directive is one that was read.
type directive struct {
	// from is one of the keys.
	from string
	// kind of source, for fromSource.
	kind string
	// name of the parameter, source or component.
	name string
	// path within it; empty for fromParameter.
	path string
	// fallback is the default, if hasFallback.
	fallback    any
	hasFallback bool
}

// String is the directive as a person would write it in short.
func (d directive) String() string {
	text := d.from + ": "
	if d.kind == Secret {
		text += "secret/"
	}
	if d.path == "" {
		return text + d.name
	}
	return text + d.name + "." + d.path
}

// read tells whether value is a directive, and reads it. The error says what such a directive looks like.
func read(value map[string]any) (found directive, is bool, err error) {
	if len(value) != 1 {
		return directive{}, false, nil
	}
	for from, content := range value {
		switch from {
		case fromParameter, fromSource, fromDependency:
			found, err = readContent(from, content)
			return found, true, err
		}
	}
	return directive{}, false, nil
}

func readContent(from string, content any) (directive, error) {
	switch content := content.(type) {
	case string:
		return readShort(from, content)
	case map[string]any:
		return readLong(from, content)
	}
	return directive{}, fmt.Errorf("%s is %s, want %s", from, kindOf(content), forms[from])
}

// kindOf is what JSON calls a value.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case string:
		return "a text"
	}
	return "a number"
}

// forms show what each directive looks like.
var forms = map[string]string{
	fromParameter:  "the name of a parameter, or {name, default}",
	fromSource:     "name.key of a ConfigMap, secret/name.key, or {kind, name, path, default}",
	fromDependency: "component.export, or {component, path, default}",
}

func readShort(from, text string) (directive, error) {
	found := directive{from: from, name: text}
	if from == fromParameter {
		if text == "" {
			return directive{}, fmt.Errorf("%s is empty, want %s", from, forms[from])
		}
		return found, nil
	}
	if from == fromSource {
		found.kind = ConfigMap
		if kind, rest, ok := strings.Cut(text, "/"); ok {
			switch strings.ToLower(kind) {
			case "secret":
				found.kind = Secret
			case "configmap":
			default:
				return directive{}, fmt.Errorf("%s %q names a %s, want a configmap or a secret", from, text, kind)
			}
			text = rest
		}
	}
	var ok bool
	if found.name, found.path, ok = strings.Cut(text, "."); !ok || found.name == "" || found.path == "" {
		return directive{}, fmt.Errorf("%s %q has no path, want %s", from, text, forms[from])
	}
	return found, nil
}

func readLong(from string, fields map[string]any) (directive, error) {
	found := directive{from: from}
	subject := "name"
	if from == fromDependency {
		subject = "component"
	}
	texts := map[string]*string{subject: &found.name}
	if from != fromParameter {
		texts["path"] = &found.path
	}
	if from == fromSource {
		found.kind = ConfigMap
		texts["kind"] = &found.kind
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key == "default" {
			found.fallback, found.hasFallback = fields[key], true
			continue
		}
		text, known := texts[key]
		if !known {
			return directive{}, fmt.Errorf("%s has no field %q, want %s", from, key, forms[from])
		}
		given, ok := fields[key].(string)
		if !ok || given == "" {
			return directive{}, fmt.Errorf("%s.%s must be a text that is not empty", from, key)
		}
		*text = given
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if *texts[key] == "" {
			return directive{}, fmt.Errorf("%s has no %s, want %s", from, key, forms[from])
		}
	}
	if from == fromSource && found.kind != ConfigMap && found.kind != Secret {
		return directive{}, fmt.Errorf("%s.kind is %q, want %s or %s", from, found.kind, ConfigMap, Secret)
	}
	return found, nil
}
