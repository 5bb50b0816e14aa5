package definition

import (
	"fmt"
	"io/fs"
	"path"
)

// FromFile reads the definition of a name that is one CUE file, as in component/webservice.cue. Its API line is the one
// behind the name, as in webservice-v2, and otherwise DefaultAPIVersion.
func FromFile(files fs.FS, file, name string) (Definition, error) {
	source, err := ReadFile(files, file)
	if err != nil {
		return Definition{}, fmt.Errorf("reading definition file %s: %w", file, err)
	}
	return Definition{Name: name, APIVersion: lineInName(name), Files: map[string]string{path.Base(file): string(source)}}, nil
}
