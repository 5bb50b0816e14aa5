package definition

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// FromFile reads a definition that is one CUE file, as in component/webservice.cue; the file's name without .cue is the
// definition's.
func FromFile(files fs.FS, file string) (Definition, error) {
	source, err := fs.ReadFile(files, file)
	if err != nil {
		return Definition{}, fmt.Errorf("reading definition file %s: %w", file, err)
	}
	name := path.Base(file)
	return Definition{
		Name: strings.TrimSuffix(name, ".cue"), APIVersion: DefaultAPIVersion, Files: map[string]string{name: string(source)},
	}, nil
}
