package pods

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// objectMap has ConfigMaps and Secrets by name.
type objectMap map[string]map[string][]byte

func (o objectMap) configMap(_ context.Context, name string) (map[string][]byte, error) {
	if content, ok := o[name]; ok {
		return content, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "objects"}, name)
}

func (o objectMap) secret(ctx context.Context, name string) (map[string][]byte, error) {
	return o.configMap(ctx, name)
}

func testIdentity() podIdentity {
	return podIdentity{
		namespace: "system", name: "app-0", serviceAccount: "app",
		objects: objectMap{"settings": {"colour": []byte("blue")}},
	}
}

func podSpec(edit func(*corev1.PodSpec)) corev1.PodSpec {
	spec := corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main", Image: "example.com/app:1", Command: []string{"/usr/local/bin/app"}, Args: []string{"run"},
	}}}
	if edit != nil {
		edit(&spec)
	}
	return spec
}

func fieldRef(path string) *corev1.EnvVarSource {
	return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
}

func TestPlanIsWhatTheContainerAsksFor(t *testing.T) {
	spec := podSpec(func(s *corev1.PodSpec) {
		seconds := int64(7)
		s.TerminationGracePeriodSeconds = &seconds
		s.Volumes = []corev1.Volume{{Name: "certs", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "x"}}}}
		c := &s.Containers[0]
		c.VolumeMounts = []corev1.VolumeMount{{Name: "certs", MountPath: "/etc/certs"}}
		c.Args = []string{"run", "--name=$(POD_NAME)", "--cert=/etc/certs/tls.crt", "--price=$$5", "$(UNKNOWN)"}
		c.Env = []corev1.EnvVar{
			{Name: "POD_NAME", ValueFrom: fieldRef("metadata.name")},
			{Name: "POD_NAMESPACE", ValueFrom: fieldRef("metadata.namespace")},
			{Name: "WHO", Value: "$(POD_NAMESPACE)/$(POD_NAME)"},
			{Name: "CERTS", Value: "/etc/certs"},
			{Name: "COLOUR", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}, Key: "colour",
			}}},
		}
	})
	got, err := newPlan(t.Context(), testIdentity(), spec, "/host", Options{
		Binaries: map[string]string{"app": "/bin/app"}, ExtraArgs: []string{"--extra"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.path != "/bin/app" || got.grace != 7*time.Second || got.readyURL != "" {
		t.Errorf("got path %q, grace %s, ready URL %q", got.path, got.grace, got.readyURL)
	}
	wantArgs := []string{"run", "--name=app-0", "--cert=/host/certs/tls.crt", "--price=$5", "$(UNKNOWN)", "--extra"}
	if diff := cmp.Diff(wantArgs, got.args); diff != "" {
		t.Errorf("args (-want +got):\n%s", diff)
	}
	wantEnv := []string{"POD_NAME=app-0", "POD_NAMESPACE=system", "WHO=system/app-0", "CERTS=/host/certs", "COLOUR=blue"}
	if diff := cmp.Diff(wantEnv, got.env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
}

func TestAddressesAreMovedToLoopback(t *testing.T) {
	tests := map[string]struct {
		args                   []string
		wantHealth, wantMetric bool
	}{
		"not asked for":   {args: []string{"run"}},
		"both, with =":    {args: []string{"--health-probe-bind-address=:8081", "--metrics-bind-address=:8080"}, wantHealth: true, wantMetric: true},
		"as two words":    {args: []string{"--health-probe-bind-address", ":8081"}, wantHealth: true},
		"metrics are off": {args: []string{"--health-probe-bind-address=:8081", "--metrics-bind-address=0"}, wantHealth: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			spec := podSpec(func(s *corev1.PodSpec) { s.Containers[0].Args = tc.args })
			got, err := newPlan(t.Context(), testIdentity(), spec, "/host", Options{Binaries: map[string]string{"app": "/bin/app"}})
			if err != nil {
				t.Fatal(err)
			}
			added := strings.Join(got.args[len(tc.args):], " ")
			if moved := strings.Contains(added, healthFlag+"=127.0.0.1:"); moved != tc.wantHealth {
				t.Errorf("health address moved: %v, want %v: %q", moved, tc.wantHealth, added)
			}
			if moved := strings.Contains(added, metricsFlag+"=127.0.0.1:"); moved != tc.wantMetric {
				t.Errorf("metrics address moved: %v, want %v: %q", moved, tc.wantMetric, added)
			}
			if hasURL := strings.HasSuffix(got.readyURL, "/readyz"); hasURL != tc.wantHealth {
				t.Errorf("ready URL is %q", got.readyURL)
			}
		})
	}
}

func TestWhatCannotBePlayedIsRefusedByName(t *testing.T) {
	tests := map[string]struct {
		edit func(*corev1.PodSpec)
		want string
	}{
		"two containers": {
			edit: func(s *corev1.PodSpec) { s.Containers = append(s.Containers, s.Containers[0]) },
			want: "2 containers",
		},
		"init container": {
			edit: func(s *corev1.PodSpec) { s.InitContainers = s.Containers },
			want: "1 init containers",
		},
		"command of the image": {
			edit: func(s *corev1.PodSpec) { s.Containers[0].Command = nil },
			want: "leaves its command to its image",
		},
		"unknown program": {
			edit: func(s *corev1.PodSpec) { s.Containers[0].Command = []string{"/bin/other"} },
			want: "no host program is given for the command /bin/other",
		},
		"field of a node": {
			edit: func(s *corev1.PodSpec) {
				s.Containers[0].Env = []corev1.EnvVar{{Name: "NODE", ValueFrom: fieldRef("spec.nodeName")}}
			},
			want: "environment variable NODE: cannot be run as a host process: the field spec.nodeName",
		},
		"host path": {
			edit: func(s *corev1.PodSpec) {
				s.Volumes = []corev1.Volume{{Name: "disk", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}}
				s.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "disk", MountPath: "/disk"}}
			},
			want: "volume disk is not of kind configMap, secret or emptyDir",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := newPlan(t.Context(), testIdentity(), podSpec(tc.edit), "/host", Options{Binaries: map[string]string{"app": "/bin/app"}})
			if !errors.Is(err, errUnplayable) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestMissingSecretIsTriedAgain(t *testing.T) {
	spec := podSpec(func(s *corev1.PodSpec) {
		s.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: "later"}, Key: "password",
		}}}}
	})
	_, err := newPlan(t.Context(), testIdentity(), spec, "/host", Options{Binaries: map[string]string{"app": "/bin/app"}})
	if !apierrors.IsNotFound(err) || errors.Is(err, errUnplayable) {
		t.Errorf("got %v, want not found", err)
	}
}

func TestRelocateReplacesWholePathsOnly(t *testing.T) {
	mounts := []mount{{at: "/etc/a", host: "/h/a"}, {at: "/etc/a/deep", host: "/h/deep"}}
	tests := map[string]string{
		"/etc/a":                      "/h/a",
		"/etc/a/file":                 "/h/a/file",
		"--x=/etc/a/deep/f,/etc/a/g":  "--x=/h/deep/f,/h/a/g",
		"/etc/ab":                     "/etc/ab",
		"/other/etc/a":                "/other/etc/a",
		"file:///etc/a/f":             "file:///h/a/f",
		"nothing":                     "nothing",
		"/etc/a-b /etc/a.b /etc/a_b/": "/etc/a-b /etc/a.b /etc/a_b/",
	}
	for text, want := range tests {
		if got := relocate(text, mounts); got != want {
			t.Errorf("relocate(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestVolumeShowsItsObjectAndFollowsIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "settings")
	m := mount{host: dir, volume: corev1.Volume{Name: "settings", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}},
	}}}
	states := []map[string][]byte{
		{"a": []byte("1"), "b": []byte("2")},
		{"a": []byte("1"), "b": []byte("2")},
		{"a": []byte("changed"), "c": []byte("new")},
		{},
	}
	for _, state := range states {
		if err := m.fill(t.Context(), objectMap{"settings": state}); err != nil {
			t.Fatal(err)
		}
		got := map[string][]byte{}
		files, err := filepath.Glob(filepath.Join(dir, "[a-z]*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if got[filepath.Base(file)], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(state, got); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if versions, _ := filepath.Glob(filepath.Join(dir, "..version-*")); len(versions) != 1 {
			t.Errorf("versions are left: %v", versions)
		}
	}
	if err := m.fill(t.Context(), objectMap{}); !apierrors.IsNotFound(err) {
		t.Errorf("missing object: %v, want not found", err)
	}
}

func TestVolumeItemsChooseAndRenameKeys(t *testing.T) {
	dir := t.TempDir()
	yes := true
	m := mount{host: dir, volume: corev1.Volume{VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
		SecretName: "pair", Optional: &yes, Items: []corev1.KeyToPath{{Key: "tls.crt", Path: "certs/server.pem"}},
	}}}}
	if err := m.fill(t.Context(), objectMap{}); err != nil {
		t.Fatalf("optional volume: %v", err)
	}
	if err := m.fill(t.Context(), objectMap{"pair": {"tls.crt": []byte("c"), "tls.key": []byte("k")}}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "certs", "server.pem"))
	if err != nil || string(content) != "c" {
		t.Errorf("got %q, %v", content, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "tls.key")); !os.IsNotExist(err) {
		t.Errorf("tls.key was not chosen: %v", err)
	}
}

func TestBackoffGrowsAndIsForgottenAfterAGoodRun(t *testing.T) {
	var pause backoff
	var got []time.Duration
	for range 8 {
		got = append(got, pause.next(time.Millisecond))
	}
	want := []time.Duration{0, 1 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}
	if !slices.Equal(got, want) {
		t.Errorf("pauses are %v, want %v", got, want)
	}
	if wait := pause.next(goodRun); wait != 0 {
		t.Errorf("after a good run the pause is %s, want none", wait)
	}
}
