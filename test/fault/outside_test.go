package fault

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/repo"
	"sigs.k8s.io/yaml"
)

const chartTemplate = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-chart
data:
  size: {{ .Values.size | quote }}
`

// serveCharts runs a chart repository with one chart.
func serveCharts() (*httptest.Server, error) {
	dir, err := os.MkdirTemp(shared.dir, "charts-")
	if err != nil {
		return nil, err
	}
	made := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: "shop", Version: "1.0.0"},
		Templates: []*chart.File{{Name: "templates/config.yaml", Data: []byte(chartTemplate)}},
	}
	packed, err := chartutil.Save(made, dir)
	if err != nil {
		return nil, err
	}
	index := repo.NewIndexFile()
	if err := index.MustAdd(made.Metadata, filepath.Base(packed), "", ""); err != nil {
		return nil, err
	}
	encoded, err := yaml.Marshal(index)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "index.yaml"), encoded, 0o600); err != nil {
		return nil, err
	}
	return httptest.NewTLSServer(http.FileServer(http.Dir(dir))), nil
}

// notification is what a notify step sends.
type notification struct {
	Component string `json:"component"`
	Event     string `json:"event"`
	Step      string `json:"step"`
	key       string
}

// receiver takes notifications.
type receiver struct {
	server *httptest.Server

	mutex    sync.Mutex
	received []notification
	// answer, if any, decides when a notification is answered, and whether.
	answer func(answer func())
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{}
	r.server = httptest.NewServer(r)
	t.Cleanup(func() {
		r.server.CloseClientConnections()
		r.server.Close()
	})
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	told := notification{key: request.Header.Get("Idempotency-Key")}
	if err := json.NewDecoder(request.Body).Decode(&told); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mutex.Lock()
	r.received = append(r.received, told)
	decide := r.answer
	r.mutex.Unlock()
	answer := func() { _, _ = w.Write([]byte("thanks")) }
	if decide == nil {
		answer()
		return
	}
	decide(answer)
}

// set puts something in the way of answers, or nothing.
func (r *receiver) set(answer func(answer func())) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.answer = answer
}

// of are the notifications of a Component's event. All of one step must have one key.
func (r *receiver) of(t testing.TB, component, event string) int {
	t.Helper()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	count, keys := 0, map[string]string{}
	for _, one := range r.received {
		if one.Component != component || !strings.HasPrefix(one.Event, event) {
			continue
		}
		count++
		if known, ok := keys[one.Step]; ok && known != one.key {
			t.Errorf("step %s of %s's %s event was told with the keys %s and %s", one.Step, component, event, known, one.key)
		}
		keys[one.Step] = one.key
	}
	return count
}
