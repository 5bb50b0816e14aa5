package cue

import (
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
)

// outputEntry is an output with the value that it was read from.
type outputEntry struct {
	Output
	at cue.Value
}

// groupedPath is the path of an entry that was put into a list of its own.
var groupedPath = regexp.MustCompile(`^outputs\[(\d+)\]\[\d+\]`)

// readEntries reads the outputs of a definition. Those that lack nothing but what they read of others wait.
func (s *source) readEntries(root cue.Value, context Context) ([]outputEntry, error) {
	list := root.LookupPath(cue.ParsePath("outputs"))
	if !s.chain.isThere() {
		outputs, err := readOutputs(list, context)
		var entries []outputEntry
		for index, output := range outputs {
			entries = append(entries, outputEntry{Output: output, at: list.LookupPath(cue.MakePath(cue.Index(index)))})
		}
		return entries, err
	}
	reader := &chainReader{outputReader: newOutputReader(context), chain: &s.chain}
	reader.readList(list)
	reader.problems = append(reader.problems, circles(reader.entries)...)
	for i := range reader.problems {
		reader.problems[i].Path = groupedPath.ReplaceAllString(reader.problems[i].Path, "outputs[$1]")
	}
	return reader.entries, newError(reader.problems)
}

// chainReader reads outputs of which some may wait.
type chainReader struct {
	*outputReader

	chain   *chain
	entries []outputEntry
	// explained counts the entries of which it is known why they are not rendered.
	explained int
}

func (r *chainReader) readList(list cue.Value) {
	if kind := list.IncompleteKind(); kind != cue.BottomKind && kind&cue.ListKind == 0 {
		r.report(list, "outputs must be a list of {name, value}")
		return
	}
	if !r.chain.grouped {
		r.readItems(list, 0)
		return
	}
	for index := range r.chain.names {
		r.readItems(list.LookupPath(cue.MakePath(cue.Index(index))), index)
	}
}

// readItems reads the items of a list, the first of which has an index among the entries. None is passed over: what is not rendered
// would be removed.
func (r *chainReader) readItems(list cue.Value, first int) {
	conflict := list.Validate()
	if err := list.Err(); err != nil && conflict == nil { // what it has is not known yet
		r.wait(list, first, err)
		return
	}
	before := r.explained
	length, err := list.Len().Int64()
	for index := 0; err != nil || index < int(length); index++ {
		entry := list.LookupPath(cue.MakePath(cue.Index(index)))
		if err != nil && !entry.Exists() { // CUE does not count the items of a list with a conflict in it
			break
		}
		if err := entry.Validate(cue.Concrete(true)); err != nil {
			r.wait(entry, first+index, err)
			continue
		}
		r.entries = append(r.entries, outputEntry{Output: r.read(entry), at: entry})
	}
	if conflict != nil && r.explained == before {
		r.problems = append(r.problems, problemsOf(conflict)...)
	}
}

// wait notes what an entry waits for, unless something else is wrong with it.
func (r *chainReader) wait(entry cue.Value, index int, err error) {
	r.explained++
	output := Output{Type: OutputTypeResource}
	conflicts := problemsOf(entry.Validate())
	for _, one := range errors.Errors(err) {
		reference, ok := r.referenceOf(one)
		problems := problemsOf(one)
		if !ok || slices.ContainsFunc(problems, func(problem Problem) bool { return isConflict(problem, conflicts) }) {
			r.problems = append(r.problems, problems...)
			continue
		}
		if !slices.Contains(output.Waits, reference) {
			output.Waits = append(output.Waits, reference)
		}
	}
	if output.Name, err = entry.LookupPath(cue.ParsePath("name")).String(); err != nil && index < len(r.chain.names) {
		output.Name = r.chain.names[index]
	}
	if output.Name == "" {
		output.Name = groupedPath.ReplaceAllString(pathOf(entry), "outputs[$1]")
	}
	if typ, err := entry.LookupPath(cue.ParsePath("type")).String(); err == nil {
		output.Type = typ
	}
	if len(output.Waits) > 0 {
		r.entries = append(r.entries, outputEntry{Output: output, at: entry})
	}
}

// isConflict tells conflicts from what is only not there. CUE calls it a conflict too when a list does not have an item yet.
func isConflict(problem Problem, conflicts []Problem) bool {
	return slices.Contains(conflicts, problem) && !strings.Contains(problem.Message, "index out of range")
}

// referenceOf is the reference that an error is about: CUE names the selector that finds nothing among its places.
func (r *chainReader) referenceOf(err errors.Error) (Reference, bool) {
	for _, position := range errors.Positions(err) {
		if reference, ok := r.chain.at[formatPosition(position)]; ok {
			return reference, true
		}
	}
	return Reference{}, false
}
