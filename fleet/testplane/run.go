// Package testplane gives the tests of a package one control plane to share. Only tests use it.
package testplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
)

// Run starts a control plane, installs the CRDs of these files and folders, shows it to use, and runs the tests. It gives the
// exit code of the program, and leaves neither processes nor files behind. Of the options, it sets Dir and Assets itself.
func Run(m *testing.M, options embedded.Options, use func(*embedded.ControlPlane) error, crds ...string) int {
	code := 1
	err := with(context.Background(), options, crds, func(plane *embedded.ControlPlane) error {
		if err := use(plane); err != nil {
			return err
		}
		code = m.Run()
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// with starts a control plane for what do does, and takes it away again.
func with(ctx context.Context, options embedded.Options, crds []string, do func(*embedded.ControlPlane) error) (err error) {
	if options.Assets, err = build.ControlPlane(ctx, os.Stderr); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "testplane-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	options.Dir = filepath.Join(dir, options.Name)
	plane, err := embedded.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop(ctx)) }()
	if len(crds) > 0 {
		installed := envtest.CRDInstallOptions{Paths: crds, ErrorIfPathMissing: true}
		if _, err := envtest.InstallCRDs(plane.RESTConfig(), installed); err != nil {
			return fmt.Errorf("installing the CRDs of the tests: %w", err)
		}
	}
	return do(plane)
}
