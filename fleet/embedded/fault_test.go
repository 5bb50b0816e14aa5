package embedded

import (
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAPIServerComesBackWithItsDataAndItsClients(t *testing.T) {
	c := startTest(t, Options{})
	client := testClient(t, c)
	want := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Data: map[string]string{"a": "b"}}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), want, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.StopAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Discovery().ServerVersion(); err == nil {
		t.Error("the API server answers after StopAPIServer")
	}
	if err := c.Err(); err != nil {
		t.Errorf("the control plane ended with its API server: %v", err)
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Data["a"] != "b" {
		t.Errorf("data came back as %v", got.Data)
	}
	deployAndAwait(t, client, "after-restart")
	if err := c.StartAPIServer(t.Context()); err == nil {
		t.Error("a second API server was started")
	}
}

func TestDeathOfAProgramEndsTheControlPlane(t *testing.T) {
	c := startTest(t, Options{})
	if err := syscall.Kill(c.Pids()[controllerManager], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), controllerManager) {
		t.Errorf("Err = %v, want the end of the controller manager", err)
	}
	eventually(t, func() string { return strings.Join(processesIn(t, c.Dir()), "\n") })
}
