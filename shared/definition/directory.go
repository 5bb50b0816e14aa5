package definition

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// FromDirectory reads the definition whose CUE files lie in dir, as in component/webservice/*.cue; the directory's name is
// the definition's. Test files (*_test.cue), sub-directories and other files are left out. It fails when a file cannot be
// read and when there is no CUE file at all.
func FromDirectory(files fs.FS, dir string) (Definition, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return Definition{}, fmt.Errorf("reading definition directory %s: %w", dir, err)
	}
	found := Definition{Name: path.Base(dir), APIVersion: DefaultAPIVersion, Files: map[string]string{}}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".cue") || strings.HasSuffix(name, testSuffix) {
			continue
		}
		source, err := fs.ReadFile(files, path.Join(dir, name))
		if err != nil {
			return Definition{}, fmt.Errorf("reading definition file %s: %w", path.Join(dir, name), err)
		}
		found.Files[name] = string(source)
	}
	if len(found.Files) == 0 {
		return Definition{}, fmt.Errorf("directory %s holds no definition: it has no .cue file that is not a test", dir)
	}
	return found, nil
}
