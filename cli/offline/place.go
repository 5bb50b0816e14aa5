package offline

import (
	"errors"
	"path"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
)

// place is where a definition lies in the folder.
type place struct {
	kind, name string
	// at is a folder, or a file.
	at string
}

// read reads the definition, which may be as a folder or as a file.
func (p place) read(l library) (*written, error) {
	found, err := l.read(p)
	if err != nil {
		return nil, err
	}
	return readWritten(found, p.kind)
}

// inFolder turns places within a definition into such within the folder.
func (p place) inFolder(problems []cue.Problem) []cue.Problem {
	dir := p.at
	if strings.HasSuffix(dir, ".cue") {
		dir = path.Dir(dir)
	}
	for i, problem := range problems {
		rest, ok := strings.CutPrefix(problem.Position, p.name+"/")
		if !ok {
			problems[i].Position = p.at
			continue
		}
		if text, _, _ := strings.Cut(rest, ":"); !strings.HasSuffix(text, ".cue") { // a text within the definition
			problems[i].Position = p.at + " " + rest
			continue
		}
		problems[i].Position = path.Join(dir, rest)
	}
	return problems
}

// problemsOf are the problems of an error that this project made, of which any may be one.
func problemsOf(err error) []cue.Problem {
	if err == nil {
		return nil
	}
	if known := (*cue.Error)(nil); errors.As(err, &known) {
		return known.Problems
	}
	return []cue.Problem{{Message: err.Error()}}
}
