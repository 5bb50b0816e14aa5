package helm_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"helm.sh/helm/v3/pkg/storage"
	"helm.sh/helm/v3/pkg/storage/driver"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/background"
	"wheelwright.dev/wheelwright/agent/helm"
	"wheelwright.dev/wheelwright/agent/workflow"
)

// patience is how long a test waits for what it knows must come.
const patience = 60 * time.Second

// spoke is one Component's view of the cluster, and an agent that works for it.
type spoke struct {
	t         *testing.T
	component workflow.Component
	options   helm.Options
	pool      *background.Pool
	helm      *helm.Helm
	config    *rest.Config
	// charts is a directory that the operator allows.
	charts string
}

func newSpoke(t *testing.T) *spoke {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := spokeClient.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	s := &spoke{
		t: t, charts: t.TempDir(), config: rest.CopyConfig(spokeConfig),
		component: workflow.Component{Namespace: namespace.Name, Name: "db", UID: types.UID("uid-of-" + namespace.Name)},
	}
	s.options.ChartDirectories = []string{s.charts}
	s.restart()
	t.Cleanup(func() { s.pool.Close() })
	return s
}

// restart gives the spoke a new agent, which knows nothing of what the last one did.
func (s *spoke) restart() {
	if s.pool != nil {
		s.pool.Close()
	}
	s.config = rest.CopyConfig(spokeConfig)
	s.pool = background.New(4)
	s.helm = helm.New(s.pool, s.options)
}

// identity is that of a step of an event.
func (s *spoke) identity(event, step string) workflow.Identity {
	return workflow.Identity{Component: s.component, EventID: event, Step: step}
}

// ask asks an action once, as one pass does.
func (s *spoke) ask(action, event string, parameters map[string]any) (workflow.Outcome, error) {
	s.t.Helper()
	return s.helm.Actions()[action](s.t.Context(), workflow.Request{
		Identity: s.identity(event, action), Parameters: parameters, Client: spokeClient, Config: s.config,
	})
}

// finish asks until the action is done or has failed.
func (s *spoke) finish(action, event string, parameters map[string]any) (map[string]any, error) {
	s.t.Helper()
	var returns map[string]any
	var failure error
	s.eventually(action+" ends", func() string {
		outcome, err := s.ask(action, event, parameters)
		returns, failure = outcome.Returns, err
		if err == nil && !outcome.Done {
			return outcome.Message
		}
		return ""
	})
	return returns, failure
}

// must finishes without an error.
func (s *spoke) must(action, event string, parameters map[string]any) map[string]any {
	s.t.Helper()
	returns, err := s.finish(action, event, parameters)
	if err != nil {
		s.t.Fatalf("%s: %v", action, err)
	}
	return returns
}

// refuses finishes with an error that no other try would change, and that says all of the words.
func (s *spoke) refuses(action, event string, parameters map[string]any, words ...string) {
	s.t.Helper()
	_, err := s.finish(action, event, parameters)
	if final := (*workflow.FailureError)(nil); !errors.As(err, &final) {
		s.t.Fatalf("%s gives %v, want a failure for good", action, err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			s.t.Errorf("the error is %q, want %q in it", err, word)
		}
	}
}

func (s *spoke) eventually(what string, missing func() string) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		last := missing()
		if last == "" {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("waited %s until %s; last: %s", patience, what, last)
		}
		<-ticker.C
	}
}

// records are the revisions of the release, as "1 deployed".
func (s *spoke) records(name string) []string {
	s.t.Helper()
	var list []string
	for _, record := range s.history(name) {
		list = append(list, fmt.Sprintf("%d %s", record.Version, record.Info.Status))
	}
	return list
}

func (s *spoke) wantRecords(name string, want ...string) {
	s.t.Helper()
	if got := s.records(name); strings.Join(got, ", ") != strings.Join(want, ", ") {
		s.t.Errorf("revisions of %s are %q, want %q", name, got, want)
	}
}

func (s *spoke) history(name string) []*release.Release {
	s.t.Helper()
	history, err := s.storage().History(name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	releaseutil.SortByRevision(history)
	return history
}

// storage is Helm's own.
func (s *spoke) storage() *storage.Storage {
	s.t.Helper()
	clients, err := kubernetes.NewForConfig(spokeConfig)
	if err != nil {
		s.t.Fatal(err)
	}
	secrets := driver.NewSecrets(clients.CoreV1().Secrets(s.component.Namespace))
	secrets.Log = func(string, ...any) {}
	return storage.Init(secrets)
}

func (s *spoke) configMap(name string) map[string]string {
	s.t.Helper()
	config := &corev1.ConfigMap{}
	err := spokeClient.Get(context.Background(), client.ObjectKey{Namespace: s.component.Namespace, Name: name}, config)
	if client.IgnoreNotFound(err) != nil {
		s.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return config.Data
}

func (s *spoke) secret(name string, data map[string]string) {
	s.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.component.Namespace, Name: name}, StringData: data}
	if err := spokeClient.Create(s.t.Context(), secret); err != nil {
		s.t.Fatal(err)
	}
}

const settings = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data:
  size: {{ .Values.size | quote }}
  version: {{ .Chart.Version }}
  kind: {{ if .Release.IsUpgrade }}upgrade{{ else }}install{{ end }}
`

const extra = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-extra
`

// newChart is a chart with two ConfigMaps, and notes.
func newChart(version string, more ...*chart.File) *chart.Chart {
	made := &chart.Chart{
		Metadata: &chart.Metadata{APIVersion: "v2", Name: "shop", Version: version, AppVersion: "app-" + version},
		Values:   map[string]any{"size": "small"},
		Templates: []*chart.File{
			{Name: "templates/settings.yaml", Data: []byte(settings)},
			{Name: "templates/extra.yaml", Data: []byte(extra)},
			{Name: "templates/NOTES.txt", Data: []byte("thanks for {{ .Chart.Version }}")},
		},
	}
	made.Raw = []*chart.File{{Name: "values.yaml", Data: []byte("size: small\n")}}
	for _, file := range more {
		if strings.HasPrefix(file.Name, "templates/") {
			made.Templates = append(made.Templates, file)
		} else {
			made.Files = append(made.Files, file)
		}
	}
	return made
}

// save puts a chart into the directory that the operator allows, as a folder, and gives its path there.
func (s *spoke) save(made *chart.Chart) string {
	s.t.Helper()
	folder := filepath.Join(s.charts, made.Metadata.Version)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := chartutil.SaveDir(made, folder); err != nil {
		s.t.Fatal(err)
	}
	return filepath.Join(made.Metadata.Version, made.Name())
}

// pack gives a chart as an archive.
func pack(t *testing.T, made *chart.Chart) []byte {
	t.Helper()
	path, err := chartutil.Save(made, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func digest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }
