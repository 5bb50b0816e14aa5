package definition

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// FromDirectory reads the definition whose CUE files lie in dir, as in component/webservice/*.cue; the directory's name is
// the definition's. Its API line and version are those of MetadataFile, if there is one. Test files (*_test.cue),
// sub-directories and other files are left out. It fails when a file cannot be read, when there is no CUE file at all, and
// when MetadataFile says what is a trait's alone.
func FromDirectory(files fs.FS, dir string) (Definition, error) {
	found, err := TraitFromDirectory(files, dir)
	if err != nil {
		return Definition{}, err
	}
	if found.Phase != "" || len(found.AppliesTo) > 0 {
		return Definition{}, fmt.Errorf("%s says phase or appliesTo: traits alone have them", path.Join(dir, MetadataFile))
	}
	return found.Definition, nil
}

// TraitFromDirectory reads the definition of a trait as FromDirectory does, with the phase and the component types that
// MetadataFile says.
func TraitFromDirectory(files fs.FS, dir string) (Trait, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return Trait{}, fmt.Errorf("reading definition directory %s: %w", dir, err)
	}
	sources := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".cue") || strings.HasSuffix(name, testSuffix) {
			continue
		}
		source, err := ReadFile(files, path.Join(dir, name))
		if err != nil {
			return Trait{}, fmt.Errorf("reading definition file %s: %w", path.Join(dir, name), err)
		}
		sources[name] = string(source)
	}
	if len(sources) == 0 {
		return Trait{}, fmt.Errorf("directory %s holds no definition: it has no .cue file that is not a test", dir)
	}
	said, err := readMetadata(files, dir)
	if err != nil {
		return Trait{}, err
	}
	return Trait{
		Definition: Definition{Name: path.Base(dir), APIVersion: said.APIVersion, Version: said.Version, Files: sources},
		Phase:      said.Phase, AppliesTo: said.AppliesTo,
	}, nil
}
