package pods

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
)

// roleVariable makes the test binary be the program in a container instead of running tests.
const roleVariable = "PODS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "serve":
		playServer()
	case "crash":
		fmt.Println("cannot find my config")
		os.Exit(4)
	}
}

// playServer tells what it was given, serves its readiness, and ends when it is asked to.
func playServer() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Println("args:", strings.Join(os.Args[1:], " "))
	fmt.Println("namespace:", os.Getenv("POD_NAMESPACE"))
	if file, ok := flagValue(os.Args, "--config"); ok {
		content, err := os.ReadFile(file)
		fmt.Println("config:", string(content), err)
	}
	fmt.Println("user:", whoAmI(ctx))
	var address string
	for _, arg := range os.Args {
		if value, ok := strings.CutPrefix(arg, healthFlag+"="); ok {
			address = value // the last one counts
		}
	}
	http.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	go func() { fmt.Println(http.ListenAndServe(address, nil)) }()
	<-ctx.Done()
	fmt.Println("bye")
}

// whoAmI asks the API server in $KUBECONFIG.
func whoAmI(ctx context.Context) string {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err.Error()
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err.Error()
	}
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err.Error()
	}
	return review.Status.UserInfo.Username
}

// testCluster has one control plane for all tests of a function, each in its own namespace.
type testCluster struct {
	*embedded.ControlPlane
	client kubernetes.Interface
}

func startCluster(t *testing.T) *testCluster {
	t.Helper()
	assets, err := build.ControlPlane(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	c, err := embedded.Start(t.Context(), embedded.Options{
		Name: "test", Dir: t.TempDir(), Assets: assets, NoScheduler: true, NoNodes: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return &testCluster{ControlPlane: c, client: client}
}

func (c *testCluster) namespace(t *testing.T, name string) {
	t.Helper()
	ctx := t.Context()
	if _, err := c.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.client.CoreV1().ServiceAccounts(name).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "app"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"app.yaml": "colour: blue"}}
	if _, err := c.client.CoreV1().ConfigMaps(name).Create(ctx, settings, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// deploy creates a Deployment of the test program in that role.
func (c *testCluster) deploy(t *testing.T, namespace, role string, replicas int32) *appsv1.Deployment {
	t.Helper()
	seconds := int64(5)
	labels := map[string]string{"app": "app"}
	d, err := c.client.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "app"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					ServiceAccountName:            "app",
					TerminationGracePeriodSeconds: &seconds,
					Volumes: []corev1.Volume{{Name: "settings", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
						LocalObjectReference: corev1.LocalObjectReference{Name: "settings"},
					}}}},
					Containers: []corev1.Container{{
						Name: "main", Image: "example.com/app:1", Command: []string{"/app"},
						Args: []string{"--health-probe-bind-address=:8081", "--config=/etc/app/app.yaml"},
						Env: []corev1.EnvVar{
							{Name: roleVariable, Value: role},
							{Name: "POD_NAMESPACE", ValueFrom: fieldRef("metadata.namespace")},
						},
						VolumeMounts: []corev1.VolumeMount{{Name: "settings", MountPath: "/etc/app"}},
					}},
				},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func testOptions(t *testing.T) Options {
	return Options{Binaries: map[string]string{"app": os.Args[0]}, LogDir: filepath.Join(t.TempDir(), "logs"), ExtraArgs: []string{"--extra"}}
}

// run runs the pods of Deployment app until the test ends.
func (c *testCluster) run(t *testing.T, namespace string, options Options) *Deployment {
	t.Helper()
	d, err := Run(t.Context(), c.RESTConfig(), namespace, "app", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return d
}

func eventually(t *testing.T, condition func() string) {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second)
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

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func pidsOf(d *Deployment) []int {
	var pids []int
	for _, pod := range d.Pods() {
		pids = append(pids, pod.Pid)
	}
	slices.Sort(pids)
	return pids
}

func readLog(t *testing.T, pod Pod) string {
	t.Helper()
	content, err := os.ReadFile(pod.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
