package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const (
	hubFolder   = "hub"
	spokeFolder = "spoke"
)

// Where Open Cluster Management's CRDs are in its API module. The files of addon/v1beta1 hold
// both versions of the addon API; those of the same names in addon/v1alpha1 only the older.
var (
	hubCRDs = []string{
		"cluster/v1/*_managedclusters.crd.yaml",
		"cluster/v1alpha1/*_addonplacementscores.crd.yaml",
		"cluster/v1beta1/*_placements.crd.yaml",
		"cluster/v1beta1/*_placementdecisions.crd.yaml",
		"cluster/v1beta2/*_managedclustersets.crd.yaml",
		"cluster/v1beta2/*_managedclustersetbindings.crd.yaml",
		"work/v1/*_manifestworks.crd.yaml",
		"work/v1alpha1/*_manifestworkreplicasets.crd.yaml",
		"addon/v1beta1/*_clustermanagementaddons.crd.yaml",
		"addon/v1beta1/*_managedclusteraddons.crd.yaml",
		"addon/v1beta1/*_addondeploymentconfigs.crd.yaml",
		"addon/v1alpha1/*_addontemplates.crd.yaml",
	}
	spokeCRDs = []string{
		"work/v1/*_appliedmanifestworks.crd.yaml",
		"cluster/v1alpha1/*_clusterclaims.crd.yaml",
	}
)

// copyCRDs copies Open Cluster Management's CRDs into the two subfolders of dir, from the
// release of its API module that the control-plane module requires.
func copyCRDs(ctx context.Context, module, dir string) error {
	api, err := moduleInfo(ctx, module, "open-cluster-management.io/api")
	if err != nil {
		return err
	}
	for side, patterns := range map[string][]string{hubFolder: hubCRDs, spokeFolder: spokeCRDs} {
		for _, pattern := range patterns {
			if err := copyFile(filepath.Join(api.Dir, pattern), filepath.Join(dir, side)); err != nil {
				return fmt.Errorf("copy the CRDs of open-cluster-management.io/api %s: %w", api.Version, err)
			}
		}
	}
	return nil
}

// copyFile copies the one file that matches the pattern into a folder, made when missing.
func copyFile(pattern, dir string) error {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	if len(matches) != 1 {
		return fmt.Errorf("%d files match %s where one should: the module has moved its CRDs", len(matches), pattern)
	}
	content, err := os.ReadFile(matches[0])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(matches[0])), content, 0o644)
}
