package offline

import (
	"context"
	"fmt"
	"os"
)

// TestOptions say which cases to run.
type TestOptions struct {
	// Definitions is the folder of definitions, with cases beside them.
	Definitions string
	// Update writes what a case gives into what it expects, where it fails.
	Update bool
}

// CaseResult is how a case went.
type CaseResult struct {
	// File of the case within the folder.
	File string
	// Failures say what is not as expected, each over one or more lines. None when the case passes.
	Failures []string
	// Updated is set where the expectations were written anew.
	Updated bool
}

// Test runs the cases that lie beside definitions, in the order of their places. The error is about the folder itself, or
// about a case that could not be written.
func (b *Workbench) Test(ctx context.Context, options TestOptions) ([]CaseResult, error) {
	folder, err := os.OpenRoot(options.Definitions)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of definitions: %w", err)
	}
	defer folder.Close()
	definitions := library{files: folder.FS()}
	places, _, err := definitions.inventory()
	if err != nil {
		return nil, err
	}
	var results []CaseResult
	for _, of := range places {
		files, err := definitions.caseFiles(of)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			result := CaseResult{File: file}
			read, err := definitions.readCase(file, of)
			if err != nil {
				result.Failures = []string{err.Error()}
				results = append(results, result)
				continue
			}
			got := b.run(ctx, definitions, read)
			if result.Failures = got.against(read.Expect); options.Update && len(result.Failures) > 0 {
				if err := updateCase(folder, file, got.expectation(read)); err != nil {
					return nil, err
				}
				result = CaseResult{File: file, Updated: true}
			}
			results = append(results, result)
		}
	}
	return results, nil
}

// outcome is what a case gives.
type outcome struct {
	err     error
	outputs []any
	// waiting are the outputs that wait for others.
	waiting []string
	// status is nil where the case does not ask for it.
	status *Status
}

// run renders a case, as Render does with files.
func (b *Workbench) run(ctx context.Context, definitions library, read *goldenCase) outcome {
	work, err := newWork(definitions, read.component(), read.Context)
	if err != nil {
		return outcome{err: err}
	}
	result, err := b.render(ctx, work)
	if err != nil {
		return outcome{err: err}
	}
	got := outcome{outputs: []any{}, waiting: result.Waiting()}
	for _, object := range result.Objects {
		got.outputs = append(got.outputs, object.Object.Object)
	}
	if read.Status == nil && !read.Expect.wantsStatus() {
		return got
	}
	if read.Status != nil {
		result.work.Context = work.Context.With(map[string]any{"status": read.Status})
	}
	got.status, got.err = result.Status(ctx, "")
	return got
}
