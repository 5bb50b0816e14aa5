package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"wheelwright.dev/wheelwright/fleet/build"
)

// roleVariable makes the test binary start a control plane in the folder that it names and
// wait to be killed, instead of running tests.
const roleVariable = "EMBEDDED_TEST_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(roleVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	assets, err := build.ControlPlane(context.Background(), os.Stderr)
	if err != nil {
		panic(err)
	}
	if _, err := Start(context.Background(), Options{Name: "doomed", Dir: dir, Assets: assets}); err != nil {
		panic(err)
	}
	fmt.Println("up")
	select {}
}

func testAssets(t *testing.T) build.Assets {
	t.Helper()
	assets, err := build.ControlPlane(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return assets
}

// startTest starts a control plane that ends with the test.
func startTest(t *testing.T, options Options) *ControlPlane {
	t.Helper()
	options.Assets = testAssets(t)
	if options.Name == "" {
		options.Name = "test"
	}
	if options.Dir == "" {
		options.Dir = t.TempDir()
	}
	started := time.Now()
	c, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s was ready after %s", options.Name, time.Since(started).Round(10*time.Millisecond))
	t.Cleanup(func() {
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func testClient(t *testing.T, c *ControlPlane) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// eventually waits until the condition returns "", which else is what is still missing.
func eventually(t *testing.T, condition func() string) {
	t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for {
		missing := condition()
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still waiting: %s", missing)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// processesIn returns the command lines of all living processes that work in the folder.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		// A process that ends meanwhile has no command line any more.
		content, _ := os.ReadFile(file)
		if line := strings.ReplaceAll(string(content), "\x00", " "); strings.Contains(line, dir) {
			found = append(found, line)
		}
	}
	return found
}
