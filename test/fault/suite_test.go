// Package fault runs the real agent as a process against a real control plane, and does to it what clusters do: it is killed
// between any two of its writes, stopped and continued, cut off, refused, and given state that somebody edited by hand. After
// each fault a Component must end healthy, or gone, with its side effects as often as docs/workflows.md says, and with nothing
// left over.
//
// The agent reaches the API server through a gate of the test (see gate), which sees each request and can end the process
// before or after any of them. The state of a workflow lives in the Component's status alone, not in a ConfigMap as that of
// kubevela/workflow, so status is what is edited here.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/fleet/apply"
	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
)

// suite is what the tests share.
type suite struct {
	dir          string
	controlPlane *embedded.ControlPlane
	config       *rest.Config
	client       client.WithWatch
	// binary is a copy of the agent's that nobody else runs, by which its processes are known.
	binary string
	// charts is the URL of a chart repository.
	charts string
}

var shared suite

func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	code, err := run(ctx, m)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fault:", err)
		code = 1
	}
	os.Exit(code)
}

func run(ctx context.Context, m *testing.M) (int, error) {
	assets, err := build.ControlPlane(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	binaries, err := build.Wheelwright(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	if shared.dir, err = os.MkdirTemp("", "wheelwright-fault-"); err != nil {
		return 1, err
	}
	shared.binary = filepath.Join(shared.dir, "agent")
	if err := copyFile(filepath.Join(binaries, "agent"), shared.binary); err != nil {
		return 1, err
	}
	charts, err := serveCharts()
	if err != nil {
		return 1, err
	}
	defer charts.Close()
	shared.charts = charts.URL
	shared.controlPlane, err = embedded.Start(ctx, embedded.Options{
		Name: "spoke", Dir: filepath.Join(shared.dir, "spoke"), Assets: assets,
	})
	if err != nil {
		return 1, err
	}
	code := 1
	if err = prepare(ctx); err == nil {
		code = m.Run()
	}
	err = errors.Join(err, agentsLeft(), shared.controlPlane.Err(), shared.controlPlane.Stop(context.WithoutCancel(ctx)))
	if err != nil || code != 0 {
		return 1, errors.Join(err, fmt.Errorf("logs are in %s", shared.dir))
	}
	return 0, os.RemoveAll(shared.dir)
}

// prepare installs what an agent needs.
func prepare(ctx context.Context) error {
	shared.config = shared.controlPlane.RESTConfig()
	shared.config.QPS = -1
	for _, path := range []string{"../../manifests/crds", "../../manifests/agent/steps.yaml"} {
		objects, err := apply.Path(path)
		if err != nil {
			return err
		}
		if err := apply.Objects(ctx, shared.config, objects); err != nil {
			return err
		}
	}
	scheme, err := agent.NewScheme()
	if err == nil {
		err = rbacv1.AddToScheme(scheme)
	}
	if err != nil {
		return err
	}
	shared.client, err = client.NewWithWatch(shared.config, client.Options{Scheme: scheme})
	return err
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// agentsLeft names processes of the agent that are still there, its workers among them.
func agentsLeft() error {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return err
	}
	var left []string
	for _, link := range links {
		if binary, err := os.Readlink(link); err == nil && strings.TrimSuffix(binary, " (deleted)") == shared.binary {
			left = append(left, filepath.Base(filepath.Dir(link)))
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("agents are left behind: processes %s", strings.Join(left, ", "))
	}
	return nil
}
