package application

import (
	"errors"
	"strconv"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/directive"
)

// openProperties are properties of which some take their values from elsewhere, on the spoke: what those will be is not
// known here, so that they are neither checked nor missed.
type openProperties struct {
	open []string
}

// strip takes the directives out of properties.
func (o *openProperties) strip(properties []byte) ([]byte, error) {
	stripped, open, err := directive.Strip(properties)
	o.open = append(o.open, open...)
	return stripped, err
}

// withoutOpen is err without complaints that something is missing which is open, or that has something open below it.
func (o *openProperties) withoutOpen(err error) error {
	fault := (*cue.Error)(nil)
	if len(o.open) == 0 || !errors.As(err, &fault) {
		return err
	}
	var left []cue.Problem
	for _, problem := range fault.Problems {
		if !o.isOpen(problem) {
			left = append(left, problem)
		}
	}
	return cue.NewError(left)
}

func (o *openProperties) isOpen(problem cue.Problem) bool {
	_, missing, ok := strings.Cut(problem.Message, "missing required parameter ")
	if !ok {
		return false
	}
	quoted, err := strconv.QuotedPrefix(missing)
	if err != nil {
		return false
	}
	path, err := strconv.Unquote(quoted)
	if err != nil {
		return false
	}
	for _, open := range o.open {
		if open == "" || path == open || strings.HasPrefix(path, open+".") || strings.HasPrefix(path, open+"[") {
			return true
		}
	}
	return false
}
