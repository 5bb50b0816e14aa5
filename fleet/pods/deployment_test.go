package pods

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/fleet/process"
)

// forkingGoroutine lives as long as the program: see package process.
const forkingGoroutine = "wheelwright.dev/wheelwright/fleet/process.init.func1.1"

func TestDeploymentRunsAsHostProcesses(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaks, goleak.IgnoreAnyFunction(forkingGoroutine)) })
	c := startCluster(t)
	tests := map[string]func(*testing.T, *testCluster, string){
		"gets-what-it-asks-for":  getsWhatItAsksFor,
		"follows-the-deployment": followsTheDeployment,
		"survives-kills":         survivesKills,
		"pauses-and-restarts":    pausesAndRestarts,
		"crash-loop":             crashLoopIsAnError,
		"unplayable":             unplayableIsAnError,
		"missing-deployment":     missingDeploymentIsAnError,
		"waits-for-volume":       waitsForVolume,
		"comes-later":            comesLater,
		"token-is-renewed":       tokenIsRenewed,
		"volume-is-refreshed":    volumeIsRefreshed,
		"restarts-without-api":   restartsWithoutAPIServer,
		"cancelled-run":          cancelledRunLeavesNothing,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c.namespace(t, name)
			test(t, c, name)
		})
	}
}

func getsWhatItAsksFor(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "serve", 2)
	d := c.run(t, namespace, testOptions(t))
	pods := d.Pods()
	if len(pods) != 2 {
		t.Fatalf("%d pods run, want 2", len(pods))
	}
	for _, pod := range pods {
		log := readLog(t, pod)
		for _, want := range []string{
			"user: system:serviceaccount:" + namespace + ":app\n", "namespace: " + namespace + "\n",
			"config: colour: blue <nil>\n", "--extra\n", healthFlag + "=127.0.0.1:",
		} {
			if !strings.Contains(log, want) {
				t.Errorf("log of %s lacks %q:\n%s", pod.Name, want, log)
			}
		}
	}
	if err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods {
		if alive(pod.Pid) {
			t.Errorf("%s is alive after Stop", pod.Name)
		}
		if log := readLog(t, pod); !strings.HasSuffix(log, "bye\n") {
			t.Errorf("%s was not asked to end:\n%s", pod.Name, log)
		}
	}
}

func followsTheDeployment(t *testing.T, c *testCluster, namespace string) {
	object := c.deploy(t, namespace, "serve", 1)
	d := c.run(t, namespace, testOptions(t))
	before := pidsOf(d)

	scaled := c.update(t, object, func(o *appsv1.Deployment) { *o.Spec.Replicas = 2 })
	eventually(t, func() string { return awaitPods(d, 2) })
	if got := pidsOf(d); got[0] != before[0] && got[1] != before[0] {
		t.Errorf("scaling restarted the first pod: %v, before %v", got, before)
	}

	between := pidsOf(d)
	c.update(t, scaled, func(o *appsv1.Deployment) { o.Spec.Template.Spec.Containers[0].Args[1] = "--config=none" })
	eventually(t, func() string {
		if alive(between[0]) || alive(between[1]) {
			return "pods of the old template run"
		}
		return awaitPods(d, 2)
	})

	after := pidsOf(d)
	if err := c.client.AppsV1().Deployments(namespace).Delete(t.Context(), "app", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		if alive(after[0]) || alive(after[1]) || len(d.Pods()) > 0 {
			return "pods of a deleted Deployment run"
		}
		return ""
	})
	c.deploy(t, namespace, "serve", 1)
	if err := d.AwaitReady(t.Context()); err != nil {
		t.Errorf("after it was created again: %v", err)
	}
}

func survivesKills(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "serve", 1)
	var mu sync.Mutex
	var exits []Exit
	options := testOptions(t)
	options.OnExit = func(e Exit) {
		mu.Lock()
		defer mu.Unlock()
		exits = append(exits, e)
	}
	d := c.run(t, namespace, options)
	for i := range 2 {
		before := pidsOf(d)
		if err := d.Kill(); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() string {
			if pidsOf(d)[0] == before[0] {
				return "the killed process"
			}
			return awaitPods(d, 1)
		})
		if got := d.Pods()[0].Restarts; got != i+1 {
			t.Errorf("%d restarts are counted, want %d", got, i+1)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(exits) != 2 || exits[0].RetryIn != 0 || exits[1].RetryIn != firstPause || exits[0].Pod != "app-0" {
		t.Errorf("exits were reported as %+v", exits)
	}
}

func pausesAndRestarts(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "serve", 1)
	d := c.run(t, namespace, testOptions(t))
	before := pidsOf(d)
	if err := d.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alive(before[0]) || len(d.Pods()) > 0 {
		t.Error("a pod runs during the pause")
	}
	d.Resume()
	if err := d.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	between := pidsOf(d)
	if err := d.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alive(between[0]) || !alive(pidsOf(d)[0]) {
		t.Errorf("Restart left %v for %v", pidsOf(d), between)
	}
}

func crashLoopIsAnError(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "crash", 1)
	_, err := Run(t.Context(), c.RESTConfig(), namespace, "app", testOptions(t))
	var exit *process.ExitError
	if !errors.As(err, &exit) || exit.Code != 4 {
		t.Fatalf("got %v, want an exit with code 4", err)
	}
	for _, want := range []string{"Deployment " + namespace + "/app", "pod app-0 has failed 5 times", "cannot find my config"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
}

func unplayableIsAnError(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "serve", 1)
	options := testOptions(t)
	options.Binaries = nil
	_, err := Run(t.Context(), c.RESTConfig(), namespace, "app", options)
	if !errors.Is(err, errUnplayable) || !strings.Contains(err.Error(), "add it to Options.Binaries") {
		t.Errorf("got %v", err)
	}
}

func missingDeploymentIsAnError(t *testing.T, c *testCluster, namespace string) {
	_, err := Run(t.Context(), c.RESTConfig(), namespace, "app", testOptions(t))
	if !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
}

func waitsForVolume(t *testing.T, c *testCluster, namespace string) {
	configMaps := c.client.CoreV1().ConfigMaps(namespace)
	if err := configMaps.Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.deploy(t, namespace, "serve", 1)
	options := testOptions(t)
	tried := make(chan error, 10)
	options.OnExit = func(e Exit) { tried <- e.Err }
	d, err := Follow(c.RESTConfig(), namespace, "app", options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err := <-tried; !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "volume settings") {
		t.Errorf("got %v", err)
	}
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"app.yaml": "late"}}
	if _, err := configMaps.Create(t.Context(), settings, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log := readLog(t, d.Pods()[0]); !strings.Contains(log, "config: late") {
		t.Errorf("log lacks the config:\n%s", log)
	}
}

func comesLater(t *testing.T, c *testCluster, namespace string) {
	d, err := Follow(c.RESTConfig(), namespace, "app", testOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := d.AwaitReady(short); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not in the cluster") {
		t.Errorf("before it is there: %v", err)
	}
	c.deploy(t, namespace, "serve", 1)
	if err := d.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.AwaitReady(t.Context()); err == nil {
		t.Error("AwaitReady after Stop succeeds")
	}
}

func cancelledRunLeavesNothing(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "serve", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	options := testOptions(t)
	if _, err := Run(ctx, c.RESTConfig(), namespace, "app", options); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func restartsWithoutAPIServer(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "serve", 1)
	d := c.run(t, namespace, testOptions(t))
	if err := c.StopAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := d.AwaitReady(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func tokenIsRenewed(t *testing.T, c *testCluster, namespace string) {
	id, err := newIdentity(c.RESTConfig(), c.client, namespace, "app", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := id.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if until := time.Until(id.due); until < 40*time.Minute || until > 55*time.Minute {
		t.Errorf("the token is renewed after %s, want four fifths of an hour", until)
	}
	first, err := os.ReadFile(id.tokenFile)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var attendant sync.WaitGroup
	id.due = time.Now()
	p := &pod{deployment: &Deployment{}, login: id}
	attendant.Go(func() { p.keepFresh(ctx, &plan{}) })
	eventually(t, func() string {
		if now, err := os.ReadFile(id.tokenFile); err != nil || bytes.Equal(now, first) {
			return fmt.Sprintf("the first token is still there, %v", err)
		}
		return ""
	})
	cancel()
	attendant.Wait()
}

func volumeIsRefreshed(t *testing.T, c *testCluster, namespace string) {
	c.deploy(t, namespace, "serve", 1)
	options := testOptions(t)
	c.run(t, namespace, options)
	changed := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"app.yaml": "colour: red"}}
	if _, err := c.client.CoreV1().ConfigMaps(namespace).Update(t.Context(), changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(options.LogDir, "app-0", "volumes", "settings", "app.yaml")
	eventually(t, func() string {
		content, err := os.ReadFile(file)
		if err != nil || string(content) != "colour: red" {
			return fmt.Sprintf("the volume shows %q, %v", content, err)
		}
		return ""
	})
}

// awaitPods tells what is missing until the Deployment has exactly that many ready pods.
func awaitPods(d *Deployment, count int) string {
	pods := d.Pods()
	ready := 0
	for _, pod := range pods {
		if pod.Ready {
			ready++
		}
	}
	if len(pods) == count && ready == count {
		return ""
	}
	return fmt.Sprintf("%d of %d pods are ready, want %d", ready, len(pods), count)
}

func (c *testCluster) update(t *testing.T, object *appsv1.Deployment, change func(*appsv1.Deployment)) *appsv1.Deployment {
	t.Helper()
	var updated *appsv1.Deployment
	eventually(t, func() string {
		current, err := c.client.AppsV1().Deployments(object.Namespace).Get(t.Context(), object.Name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		change(current)
		// The Deployment controller writes to it as well.
		if updated, err = c.client.AppsV1().Deployments(object.Namespace).Update(t.Context(), current, metav1.UpdateOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
	return updated
}
