package directive

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
)

// redacted stands where a value from a Secret would.
const redacted = "[redacted]"

// withheld is a message that might show such a value in some form: as a part, in quotes, in capitals.
const withheld = "the value does not fit; the message is withheld, since the properties hold values from Secrets"

// With is r with what other has from Secrets, and r's own properties. Paths of the two may meet, which withholds more.
func (r *Resolved) With(other *Resolved) *Resolved {
	joined := &Resolved{Properties: r.Properties, secrets: map[string]string{}}
	maps.Copy(joined.secrets, r.secrets)
	for path, value := range other.secrets {
		for joined.secrets[path] != "" && joined.secrets[path] != value {
			path += " " // another value at the same path of another map
		}
		joined.secrets[path] = value
	}
	return joined
}

// HasSecrets tells whether any value came from a Secret.
func (r *Resolved) HasSecrets() bool { return len(r.secrets) > 0 }

// Error is err without any message that might show a value from a Secret. Places and paths stay, and so do messages about
// a property's own name or about properties that came from elsewhere. An error that is no *cue.Error is passed over: it is
// not about values.
func (r *Resolved) Error(err error) error {
	fault := (*cue.Error)(nil)
	if !r.HasSecrets() || !errors.As(err, &fault) {
		return err
	}
	safe := &cue.Error{}
	for _, problem := range fault.Problems {
		if !r.isSafe(problem) {
			problem.Message = withheld
		}
		safe.Problems = append(safe.Problems, problem)
	}
	return safe
}

// isSafe tells whether a problem is about a parameter's name, or about one value that came from no Secret.
func (r *Resolved) isSafe(problem cue.Problem) bool {
	if problem.Position != "" || strings.Contains(problem.Message, "does not go with the other") {
		return false
	}
	for _, safe := range []string{"unknown parameter ", "missing required parameter "} {
		if strings.HasPrefix(problem.Message, safe) {
			return true
		}
	}
	if problem.Path == "" || !strings.HasPrefix(problem.Message, "parameter ") {
		return false
	}
	for path := range r.secrets {
		if path == problem.Path || within(path, problem.Path) || within(problem.Path, path) {
			return false
		}
	}
	return true
}

// within tells whether path lies below above.
func within(path, above string) bool {
	return strings.HasPrefix(path, above) && len(path) > len(above) && (path[len(above)] == '.' || path[len(above)] == '[')
}

// Text is text without the values that came from Secrets. One that was changed on its way, as by an encoding, is not found.
func (r *Resolved) Text(text string) string {
	for _, value := range r.values() {
		text = strings.ReplaceAll(text, value, redacted)
	}
	return text
}

// Values is value without the values that came from Secrets, at any depth. It changes maps and lists in place.
func (r *Resolved) Values(value any) any {
	switch value := value.(type) {
	case string:
		return r.Text(value)
	case []any:
		for i, item := range value {
			value[i] = r.Values(item)
		}
	case map[string]any:
		for key, field := range value {
			value[key] = r.Values(field)
		}
	}
	return value
}

// values are the longest first, so that one that is a part of another does not take it apart.
func (r *Resolved) values() []string {
	var values []string
	for _, value := range r.secrets {
		if value != "" {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return values
}
