package helm_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/sirupsen/logrus"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
)

// The one control plane of this package.
var (
	spokeConfig *rest.Config
	spokeClient client.Client
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	logrus.SetOutput(io.Discard) // the registry's
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	ctx := context.Background()
	assets, err := build.ControlPlane(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "helm-test-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	spoke, err := embedded.Start(ctx, embedded.Options{Name: "spoke", Dir: filepath.Join(dir, "spoke"), Assets: assets})
	if err != nil {
		return 1, err
	}
	defer func() { _ = spoke.Stop(ctx) }()
	spokeConfig = spoke.RESTConfig()
	spokeConfig.QPS = -1
	if spokeClient, err = client.New(spokeConfig, client.Options{}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}
