package offline

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// against says what of an outcome is not as expected.
func (o outcome) against(want expectation) []string {
	switch {
	case want.isEmpty():
		return []string{"the case expects nothing: write expect, or run with --update to take what it gives"}
	case want.Error != "" && o.err == nil:
		return []string{fmt.Sprintf("got no error, want one with this in it: %s", want.Error)}
	case want.Error != "" && !strings.Contains(o.err.Error(), want.Error):
		return []string{fmt.Sprintf("got the error: %v\nwant this in it: %s", o.err, want.Error)}
	case want.Error != "":
		return nil
	case o.err != nil:
		return []string{fmt.Sprintf("error: %v", o.err)}
	}
	var failures []string
	if want.Outputs != nil {
		failures = compare(failures, "outputs", want.Outputs, o.outputs)
	}
	if want.Waiting != nil {
		failures = compare(failures, "waiting", want.Waiting, append([]string{}, o.waiting...))
	}
	if want.Healthy != nil {
		failures = compare(failures, "healthy", *want.Healthy, o.status.IsHealthy)
	}
	if want.Message != nil {
		failures = compare(failures, "message", *want.Message, o.status.Message)
	}
	if want.Exports != nil {
		failures = compare(failures, "exports", want.Exports, o.status.Exports)
	}
	return failures
}

// compare adds the difference between two values as YAML, which has fields in order and numbers by their value.
func compare(failures []string, what string, want, got any) []string {
	wanted, err := yaml.Marshal(want)
	if err != nil {
		return append(failures, fmt.Sprintf("%s: what is expected cannot be written as YAML: %v", what, err))
	}
	given, err := yaml.Marshal(got)
	if err != nil {
		return append(failures, fmt.Sprintf("%s: what was rendered cannot be written as YAML: %v", what, err))
	}
	if string(wanted) == string(given) {
		return failures
	}
	return append(failures, what+" (-want +got):\n"+strings.Join(Difference(linesOf(wanted), linesOf(given)), "\n"))
}

func linesOf(text []byte) []string {
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// expectation is what the case would have to expect. It keeps to what the case looks at; one that looks at nothing gets all.
func (o outcome) expectation(read *goldenCase) expectation {
	if o.err != nil {
		return expectation{Error: o.err.Error()}
	}
	old := read.Expect
	fresh := old.isEmpty() || old.Error != ""
	updated := expectation{}
	if fresh || old.Outputs != nil {
		updated.Outputs = o.outputs
	}
	if fresh && len(o.waiting) > 0 || old.Waiting != nil {
		updated.Waiting = append([]string{}, o.waiting...)
	}
	if o.status == nil {
		return updated
	}
	if fresh || old.Healthy != nil {
		updated.Healthy = &o.status.IsHealthy
	}
	if fresh || old.Message != nil {
		updated.Message = &o.status.Message
	}
	if fresh || old.Exports != nil {
		updated.Exports = o.status.Exports
	}
	return updated
}
