package definitions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/cli/offline"
)

// ImportOptions say where to.
type ImportOptions struct {
	// To is the folder of definitions. It is made where it is not there.
	To string
	// Overwrite replaces files that are there.
	Overwrite bool
}

// Import writes each of KubeVela's definitions in a stream of YAML into a file of the folder, and returns what became of
// each object in the stream. One that cannot be imported does not keep the others from it. The error is about the stream or
// the folder itself.
func Import(ctx context.Context, bench *offline.Workbench, input io.Reader, options ImportOptions) ([]Result, error) {
	documents, err := readDocuments(input)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(options.To, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of definitions: %w", err)
	}
	root, err := os.OpenRoot(options.To)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of definitions: %w", err)
	}
	defer root.Close()
	importer := &importer{bench: bench, folder: root, overwrite: options.Overwrite, taken: map[string]bool{}}
	var results []Result
	for _, one := range documents {
		results = append(results, importer.take(ctx, one))
	}
	return results, nil
}

type importer struct {
	bench     *offline.Workbench
	folder    *os.Root
	overwrite bool
	// taken are the places that this import has written.
	taken map[string]bool
}

func (i *importer) take(ctx context.Context, one document) Result {
	if one.err != nil {
		return failed("-", "-", Skipped, one.err)
	}
	object := &unstructured.Unstructured{Object: one.object}
	kind, name := cmp.Or(object.GetKind(), "-"), cmp.Or(object.GetName(), "-")
	if !isVelaDefinition(object) {
		return Result{Kind: kind, Name: name, Action: Skipped, Reason: "it is no definition of KubeVela's"}
	}
	made, err := convert(object)
	if err == nil {
		err = made.check(ctx, i.bench)
	}
	if err != nil {
		return failed(kind, name, Skipped, err)
	}
	action, err := i.write(made)
	if err != nil {
		return failed(kind, name, Skipped, err)
	}
	return Result{Kind: kind, Name: name, Action: action}
}

// write writes a definition, unless it is there. A file that holds another one is replaced with overwrite alone.
func (i *importer) write(made imported) (Action, error) {
	place := made.place()
	if i.taken[place] {
		return Skipped, errors.New("it is in the input more than once: this one is not the first")
	}
	i.taken[place] = true
	if info, err := i.folder.Stat(path.Join(made.folder, made.name)); err == nil && info.IsDir() {
		return Skipped, fmt.Errorf("the folder %s/%s defines it already: keep one of the two", made.folder, made.name)
	}
	switch there, err := i.folder.ReadFile(place); {
	case err == nil && string(there) == made.text:
		return Unchanged, nil
	case err == nil && !i.overwrite:
		return Skipped, fmt.Errorf("%s is there already and differs: --overwrite replaces it", place)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Skipped, fmt.Errorf("reading what is there already: %w", err)
	}
	if err := i.folder.MkdirAll(made.folder, 0o755); err != nil {
		return Skipped, fmt.Errorf("making the folder %s: %w", made.folder, err)
	}
	if err := i.folder.WriteFile(place, []byte(made.text), 0o644); err != nil {
		return Skipped, fmt.Errorf("writing %s: %w", place, err)
	}
	return Written, nil
}
