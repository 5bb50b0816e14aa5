package cue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"
)

// maxShown bounds the problems in an error's text; Error.Problems has them all.
const maxShown = 20

// Problem is one thing that is wrong with a definition or with what it was given.
type Problem struct {
	// Position is the place in the definition, as webservice/template.cue:12:5. Empty where the fault is not the
	// definition's.
	Position string
	// Path of the value, as outputs[0].value.spec.replicas, or as port for a parameter. Empty for a file as a whole.
	Path string
	// Message says what is wrong and, where that is known, what was expected. About a parameter it is a whole sentence that
	// names the path.
	Message string
}

// String is the problem on one line: place, path, message.
func (p Problem) String() string {
	parts := make([]string, 0, 3)
	if p.Position != "" {
		parts = append(parts, p.Position)
	}
	if p.Path != "" && !strings.Contains(p.Message, strconv.Quote(p.Path)) {
		parts = append(parts, p.Path)
	}
	return strings.Join(append(parts, p.Message), ": ")
}

// Error is everything that was found wrong at once, in a stable order and without repetition.
type Error struct {
	Problems []Problem
}

// Error lists the problems, separated by semicolons.
func (e *Error) Error() string {
	shown := make([]string, 0, maxShown+1)
	for i, problem := range e.Problems {
		if i == maxShown {
			shown = append(shown, fmt.Sprintf("and %d more", len(e.Problems)-maxShown))
			break
		}
		shown = append(shown, problem.String())
	}
	return strings.Join(shown, "; ")
}

// newError is an *Error of the problems, or nil when there are none.
func newError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			comparePositions(a.Position, b.Position),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return &Error{Problems: slices.Compact(problems)}
}

// comparePositions orders by file, then by line and column as numbers.
func comparePositions(a, b string) int {
	fileA, lineA, columnA := splitPosition(a)
	fileB, lineB, columnB := splitPosition(b)
	return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(lineA, lineB), cmp.Compare(columnA, columnB))
}

func splitPosition(position string) (file string, line, column int) {
	file, rest, _ := strings.Cut(position, ":")
	// What is no position has no numbers, and 0 is then right.
	_, _ = fmt.Sscanf(rest, "%d:%d", &line, &column)
	return file, line, column
}

// problemsOf turns a CUE error into problems. CUE heads the reasons why every alternative of a disjunction failed with an
// error of its own at the same path, which says nothing by itself and is left out.
func problemsOf(err error) []Problem {
	if err == nil {
		return nil
	}
	if own := errors.Error(nil); !errors.As(err, &own) {
		return []Problem{{Message: err.Error()}}
	}
	var problems []Problem
	list := errors.Errors(err)
	for i, one := range list {
		path := formatPath(one.Path())
		heading := strings.Contains(messageOf(one), "errors in empty disjunction")
		if heading && i+1 < len(list) && strings.HasPrefix(formatPath(list[i+1].Path()), path) {
			continue
		}
		problems = append(problems, Problem{Position: positionOf(one), Path: path, Message: messageOf(one)})
	}
	return problems
}

// messagesOf is what a CUE error says, without places.
func messagesOf(err error) string {
	var messages []string
	for _, problem := range problemsOf(err) {
		messages = append(messages, problem.Message)
	}
	return strings.Join(messages, ", ")
}

// messageOf is what err says and what brought it about, as of a builtin function that failed.
func messageOf(err errors.Error) string {
	format, args := err.Msg()
	message := fmt.Sprintf(format, args...)
	if cause := errors.Unwrap(err); cause != nil && !strings.Contains(message, cause.Error()) {
		message += ": " + cause.Error()
	}
	return message
}

// positionOf is the first place of err that lies in a file of the definition.
func positionOf(err errors.Error) string {
	for _, position := range append([]token.Pos{err.Position()}, errors.Positions(err)...) {
		if place := formatPosition(position); place != "" {
			return place
		}
	}
	return ""
}

func formatPosition(position token.Pos) string {
	at := position.Position()
	if at.Filename == "" || at.Filename == preludeFile || at.Filename == InputFile {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", at.Filename, at.Line, at.Column)
}

// formatPath joins the segments of a path as a person writes it: list indices in brackets, odd names quoted.
func formatPath(segments []string) string {
	var path strings.Builder
	for _, segment := range segments {
		switch {
		case segment == schemaName:
			continue
		case isIndex(segment):
			fmt.Fprintf(&path, "[%s]", segment)
			continue
		case path.Len() > 0:
			path.WriteByte('.')
		}
		path.WriteString(segment)
	}
	return path.String()
}

func isIndex(segment string) bool {
	return segment != "" && strings.Trim(segment, "0123456789") == ""
}
