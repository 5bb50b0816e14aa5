package definition

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"sigs.k8s.io/yaml"
)

// MetadataFile may lie beside the CUE files of a definition that is a folder. It says what the definition's object holds
// beside them: apiVersion and version, and of a trait phase and appliesTo.
const MetadataFile = "definition.yaml"

type metadata struct {
	APIVersion string   `json:"apiVersion"`
	Version    string   `json:"version"`
	Phase      Phase    `json:"phase"`
	AppliesTo  []string `json:"appliesTo"`
}

// readMetadata reads the metadata of the definition in dir. Where nothing says its API line, the line is the one behind the
// directory's name, as in webservice-v2, and otherwise DefaultAPIVersion.
func readMetadata(files fs.FS, dir string) (metadata, error) {
	said := metadata{APIVersion: lineInName(path.Base(dir))}
	place := path.Join(dir, MetadataFile)
	content, err := ReadFile(files, place)
	if errors.Is(err, fs.ErrNotExist) {
		return said, nil
	}
	if err != nil {
		return said, fmt.Errorf("reading %s: %w", place, err)
	}
	if err := yaml.UnmarshalStrict(content, &said); err != nil {
		return said, fmt.Errorf("%s may hold apiVersion, version, phase and appliesTo: %w", place, err)
	}
	if !linePattern.MatchString(said.APIVersion) {
		return said, fmt.Errorf("%s: apiVersion %q is no API line: write one such as v1 or v2beta1", place, said.APIVersion)
	}
	switch said.Phase {
	case "", PhasePre, PhaseDefault, PhasePost:
		return said, nil
	}
	return said, fmt.Errorf("%s: phase is %q: write %s, %s or %s", place, said.Phase, PhasePre, PhaseDefault, PhasePost)
}
