// Package build builds the programs that a fleet runs, from the sources of this checkout, and
// shows a person who waits for it how far it is.
//
// It imports nothing but the standard library, so that `go run ./hack/build` starts at once
// even where nothing is compiled yet.
package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// controlPlaneEnv makes the same programs with and without a C compiler on the machine.
var controlPlaneEnv = []string{"CGO_ENABLED=0"}

// Assets is what it takes to start Kubernetes control planes that can serve Open Cluster
// Management's API.
type Assets struct {
	// Binary is the multi-call program of fleet/controlplane.
	Binary string
	// CRDs is the folder of Open Cluster Management's CRDs, with one subfolder for each side.
	CRDs string
}

// HubCRDs is the folder of the CRDs that a hub serves, one YAML file each.
func (a Assets) HubCRDs() string { return filepath.Join(a.CRDs, hubFolder) }

// SpokeCRDs is the folder of the CRDs that a managed cluster serves, one YAML file each.
func (a Assets) SpokeCRDs() string { return filepath.Join(a.CRDs, spokeFolder) }

// ControlPlane returns the assets of the embedded control planes, building them when this
// version of them is not in the user's cache folder yet. Several processes may call it at the
// same time: one builds, the others wait for it. An interrupted build leaves nothing behind
// but compiled packages in Go's own cache. progress may be nil.
func ControlPlane(ctx context.Context, progress io.Writer) (Assets, error) {
	if progress == nil {
		progress = io.Discard
	}
	root, err := Root()
	if err != nil {
		return Assets{}, err
	}
	module := filepath.Join(root, "fleet", "controlplane")
	id, err := fingerprint(ctx, module)
	if err != nil {
		return Assets{}, fmt.Errorf("identify the control plane's sources: %w", err)
	}
	cache, err := cacheFolder()
	if err != nil {
		return Assets{}, err
	}
	entry := filepath.Join(cache, id)
	assets := Assets{Binary: filepath.Join(entry, "controlplane"), CRDs: filepath.Join(entry, "crds")}
	if inCache(entry) {
		return assets, nil
	}
	unlock, err := lock(ctx, entry+".lock", progress)
	if err != nil {
		return Assets{}, err
	}
	defer unlock()
	if inCache(entry) { // built by the process that we waited for
		return assets, nil
	}
	return assets, publish(entry, func(dir string) error { return buildAssets(ctx, progress, module, dir) })
}

// buildAssets fills dir with what Assets describes.
func buildAssets(ctx context.Context, progress io.Writer, module, dir string) error {
	kubernetes, err := moduleInfo(ctx, module, "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	err = compile(ctx, progress, target{
		name:     "the control plane (etcd, Kubernetes " + kubernetes.Version + ", kwok)",
		dir:      module,
		packages: []string{"."},
		env:      controlPlaneEnv,
		flags:    []string{"-trimpath", "-buildvcs=false", "-ldflags", "-s -w " + stampVersion(kubernetes.Version)},
		output:   filepath.Join(dir, "controlplane"),
		duration: "about 6 minutes",
		retry:    "go run ./hack/build controlplane",
	})
	if err != nil {
		return err
	}
	return copyCRDs(ctx, module, filepath.Join(dir, "crds"))
}

// stampVersion returns the linker flags that tell the programs their version. Without it they
// say v0.0.0-master, which ends up in ManagedCluster status and fails the version checks of
// Helm charts.
func stampVersion(version string) string {
	const variables = "k8s.io/component-base/version."
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return fmt.Sprintf("-X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s -X %[1]sgitTreeState=clean -X %[1]sgitCommit=%[2]s",
		variables, version, major, minor)
}

// fingerprint names a state of everything that the assets are made from.
func fingerprint(ctx context.Context, module string) (string, error) {
	files, err := filepath.Glob(filepath.Join(module, "*.go"))
	if err != nil {
		return "", err
	}
	files = append(files, filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum"))
	toolchain, err := (goTool{dir: module, env: controlPlaneEnv}).run(ctx, "env", "GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, toolchain, hubCRDs, spokeCRDs, stampVersion(""))
	slices.Sort(files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, filepath.Base(file), len(content))
		hash.Write(content)
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// goModule is what `go mod download -json` tells of a module.
type goModule struct {
	Version string
	Dir     string // its folder in the module cache
}

// moduleInfo downloads one of the modules that the module in dir requires.
func moduleInfo(ctx context.Context, dir, path string) (goModule, error) {
	out, err := (goTool{dir: dir}).run(ctx, "mod", "download", "-json", path)
	if err != nil {
		return goModule{}, fmt.Errorf("download module %s: %w", path, err)
	}
	var module goModule
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return goModule{}, fmt.Errorf("download module %s: %w", path, err)
	}
	return module, nil
}
