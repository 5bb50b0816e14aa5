package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	workclient "open-cluster-management.io/api/client/work/clientset/versioned"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/build"
)

func TestOptionsRefuseWhatCannotWork(t *testing.T) {
	for name, options := range map[string]Options{
		"NoDir":    {Spokes: DefaultSpokes()},
		"SameName": {Dir: t.TempDir(), Spokes: []Spoke{{Name: "a"}, {Name: "a"}}},
		"HubName":  {Dir: t.TempDir(), Spokes: []Spoke{{Name: "hub"}}},
		"NoName":   {Dir: t.TempDir(), Spokes: []Spoke{{}}},
	} {
		if _, err := options.complete(); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// The kustomizations that the fleet installs from are whole: every file of their folders is listed.
func TestEveryManifestIsDelivered(t *testing.T) {
	for _, side := range []string{"hub", "agent"} {
		objects, err := delivered(side)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]int{}
		for _, object := range objects {
			kinds[object.GetKind()]++
		}
		for _, kind := range []string{"CustomResourceDefinition", "Namespace", "ServiceAccount", "ClusterRole", "Deployment"} {
			if kinds[kind] == 0 {
				t.Errorf("the %s's kustomization delivers no %s", side, kind)
			}
		}
		files, err := filepath.Glob(filepath.Join("..", "manifests", side, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join("..", "manifests", side, "kustomization.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if base := filepath.Base(file); base != "kustomization.yaml" && !strings.Contains(string(content), "- "+base) {
				t.Errorf("manifests/%s/%s is in no kustomization", side, base)
			}
		}
	}
}

func assets(t *testing.T) build.Assets {
	t.Helper()
	found, err := build.ControlPlane(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAFleetDeliversAWork(t *testing.T) {
	found, err := Up(t.Context(), assets(t), "", Options{Dir: t.TempDir(), Spokes: DefaultSpokes()[:1], WithoutWheelwright: true})
	if err != nil {
		t.Fatal(err)
	}
	works, err := workclient.NewForConfig(found.Hub().Config)
	if err != nil {
		t.Fatal(err)
	}
	work := &workv1.ManifestWork{ObjectMeta: metav1.ObjectMeta{Name: "w"}}
	work.Spec.Workload.Manifests = []workv1.Manifest{{RawExtension: runtime.RawExtension{
		Raw: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":"delivered"}}`)}}}
	if _, err := works.WorkV1().ManifestWorks("dev-eu").Create(t.Context(), work, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	spoke, err := kubernetes.NewForConfig(found.Spokes()[0].Config)
	if err != nil {
		t.Fatal(err)
	}
	await(t, func(ctx context.Context) error {
		_, err := spoke.CoreV1().ConfigMaps("default").Get(ctx, "delivered", metav1.GetOptions{})
		return err
	})
	if err := found.Stop(t.Context()); err != nil || found.Err() != nil {
		t.Errorf("stopping: %v, %v", err, found.Err())
	}
	if pids := found.ControlPlane("hub").Pids(); len(pids) > 0 {
		t.Errorf("after the end there are still %v", pids)
	}
}

// Interrupted at any moment, a start ends with nothing running.
func TestAnInterruptedStartLeavesNothing(t *testing.T) {
	for _, after := range []time.Duration{0, 300 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, errors.New("interrupted"))
			defer cancel()
			dir := t.TempDir()
			found, err := Up(ctx, assets(t), "", Options{Dir: dir, Spokes: DefaultSpokes(), WithoutWheelwright: true})
			if err == nil {
				err = found.Stop(t.Context())
				if err != nil {
					t.Fatal(err)
				}
			}
			if left := processesIn(t, dir); len(left) > 0 {
				t.Errorf("still running: %v", left)
			}
		})
	}
}

func TestATakenPortIsNamed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	dir := t.TempDir()
	_, err = Up(t.Context(), assets(t), "", Options{Dir: dir, HubPort: port, Spokes: DefaultSpokes()[:1], WithoutWheelwright: true})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint(port)) || !strings.Contains(err.Error(), "taken") {
		t.Errorf("got %v", err)
	}
	if left := processesIn(t, dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// processesIn are the processes whose command line names the folder.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range lines {
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), dir) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

func await(t *testing.T, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
