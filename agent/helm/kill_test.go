package helm_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"k8s.io/client-go/rest"

	"wheelwright.dev/wheelwright/agent/helm"
	"wheelwright.dev/wheelwright/agent/workflow"
)

var errKilled = errors.New("the agent was killed")

// dieAt lets the agent's way to the cluster end at its nth writing request: before it reaches the server, or right after, when
// nobody hears the answer any more. It says whether it came to that.
func (s *spoke) dieAt(n int32, heard bool) *atomic.Bool {
	var writes atomic.Int32
	dead := &atomic.Bool{}
	s.config = rest.CopyConfig(spokeConfig)
	s.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if dead.Load() {
				return nil, errKilled
			}
			if request.Method == http.MethodGet || writes.Add(1) != n {
				return next.RoundTrip(request)
			}
			dead.Store(true)
			if heard {
				if response, err := next.RoundTrip(request); err == nil {
					response.Body.Close()
				}
			}
			return nil, errKilled
		})
	})
	return dead
}

// killedEverywhere runs act on spokes that prepare made, with agents that die at every point there is, and a new agent after
// each. It gives the number of points.
func killedEverywhere(t *testing.T, prepare, act, check func(*spoke)) {
	for _, heard := range []bool{false, true} {
		for n := int32(1); ; n++ {
			s := newSpoke(t)
			prepare(s)
			dead := s.dieAt(n, heard)
			act(s)
			if !dead.Load() {
				if n < 4 {
					t.Fatalf("the agent was killed at %d points only", n-1)
				}
				break
			}
			s.restart()
			act(s)
			check(s)
			if t.Failed() {
				t.Fatalf("after the agent was killed at write %d, heard by the server: %v", n, heard)
			}
		}
	}
}

// try finishes, whatever comes of it.
func (s *spoke) try(action, event string, parameters map[string]any) {
	_, err := s.finish(action, event, parameters)
	if err != nil && !strings.Contains(err.Error(), errKilled.Error()) &&
		!strings.Contains(err.Error(), "failed to delete") { // Helm says no more when deleting fails
		s.t.Errorf("%s fails though nothing is wrong with it: %v", action, err)
	}
}

func TestAnInstallThatIsKilledAnywhereMakesOneRevision(t *testing.T) {
	killedEverywhere(t, func(*spoke) {}, func(s *spoke) {
		s.try(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	}, func(s *spoke) {
		s.wantRecords("db", "1 deployed")
		if data := s.configMap("db-settings"); data["version"] != "1.0.0" {
			t.Errorf("the chart made %v", data)
		}
	})
}

func TestAnUpgradeThatIsKilledAnywhereMakesOneRevision(t *testing.T) {
	next := newChart("2.0.0", &chart.File{
		Name: "templates/more.yaml", Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-more\n"),
	})
	next.Templates = append(next.Templates[:1], next.Templates[2:]...) // without extra
	killedEverywhere(t, func(s *spoke) {
		s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	}, func(s *spoke) {
		s.try(helm.Upgrade, "upgrade", map[string]any{"chart": s.save(next)})
	}, func(s *spoke) {
		s.wantRecords("db", "1 superseded", "2 deployed")
		if s.configMap("db-settings")["version"] != "2.0.0" || s.configMap("db-extra") != nil {
			t.Error("what the chart describes is not what is there")
		}
	})
}

func TestARollbackThatIsKilledAnywhereIsFinished(t *testing.T) {
	var last error
	killedEverywhere(t, func(s *spoke) {
		s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	}, func(s *spoke) {
		parameters := map[string]any{"chart": s.save(newChart("2.0.0", invalid())), "rollbackOnFailure": true}
		for range 2 { // the second try sees what the first one has come to
			_, last = s.finish(helm.Upgrade, "upgrade", parameters)
		}
	}, func(s *spoke) {
		if final := (*workflow.FailureError)(nil); !errors.As(last, &final) || !strings.Contains(last.Error(), "NOT_A_NAME") {
			t.Errorf("the error is %v, want one that says for good what is wrong", last)
		}
		s.wantRecords("db", "1 superseded", "2 failed", "3 deployed")
		if data := s.configMap("db-settings"); data["version"] != "1.0.0" {
			t.Errorf("the chart made %v, want what the first revision made", data)
		}
	})
}

func TestAnUninstallThatIsKilledAnywhereLeavesNothing(t *testing.T) {
	killedEverywhere(t, func(s *spoke) {
		s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	}, func(s *spoke) {
		s.try(helm.Uninstall, "delete", nil)
	}, func(s *spoke) {
		s.wantRecords("db")
		if s.configMap("db-settings") != nil || s.configMap("db-extra") != nil {
			t.Error("objects are left")
		}
	})
}

func TestAnInstallWhoseEndCannotBeRecordedIsNotDone(t *testing.T) {
	s := newSpoke(t)
	parameters := map[string]any{"chart": s.save(newChart("1.0.0"))}
	s.config = rest.CopyConfig(spokeConfig)
	s.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if request.Method == http.MethodPut && strings.Contains(request.URL.Path, "/secrets/") {
				return nil, errors.New("not now")
			}
			return next.RoundTrip(request)
		})
	})
	_, err := s.finish(helm.Install, "create", parameters)
	if err == nil || !strings.Contains(err.Error(), "could not be recorded") {
		t.Errorf("the error is %v, want one that says that there is no record", err)
	}
	s.wantRecords("db", "1 pending-install")
	s.config = rest.CopyConfig(spokeConfig)
	s.must(helm.Install, "create", parameters)
	s.wantRecords("db", "1 deployed")
}

// stuck lets requests that create ConfigMaps hang until they are ended, and tells when the first one does.
func (s *spoke) stuck() <-chan struct{} {
	hangs := make(chan struct{})
	var once sync.Once
	s.config = rest.CopyConfig(spokeConfig)
	s.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if request.Method != http.MethodPost || !strings.HasSuffix(request.URL.Path, "/configmaps") {
				return next.RoundTrip(request)
			}
			once.Do(func() { close(hangs) })
			<-request.Context().Done()
			return nil, request.Context().Err()
		})
	})
	return hangs
}

// begun asks until the install hangs.
func (s *spoke) begun(event string, parameters map[string]any, hangs <-chan struct{}) {
	s.t.Helper()
	if outcome, err := s.ask(helm.Install, event, parameters); err != nil || outcome.Done || outcome.RecheckAfter == 0 {
		s.t.Fatalf("the first pass gives %+v, %v; it must ask for another one", outcome, err)
	}
	<-hangs
	s.wantRecords("db", "1 pending-install")
}

func TestAnAgentThatEndsLetsGoOfTheRelease(t *testing.T) {
	s := newSpoke(t)
	parameters := map[string]any{"chart": s.save(newChart("1.0.0"))}
	s.begun("create", parameters, s.stuck())
	s.pool.Close()
	s.wantRecords("db", "1 failed")
	s.restart()
	s.must(helm.Install, "create", parameters)
	s.wantRecords("db", "1 deployed")
}

func TestATerminatedOperationLetsGoOfTheRelease(t *testing.T) {
	s := newSpoke(t)
	s.begun("create", map[string]any{"chart": s.save(newChart("1.0.0"))}, s.stuck())
	s.pool.Cancel(s.component.UID)
	s.eventually("the release is free", func() string {
		if records := fmt.Sprint(s.records("db")); records != "[1 failed]" {
			return records
		}
		return ""
	})
}

func TestALaterEventEndsTheOperationOfAnEarlierOne(t *testing.T) {
	s := newSpoke(t)
	s.begun("create", map[string]any{"chart": s.save(newChart("1.0.0"))}, s.stuck())
	s.config = rest.CopyConfig(spokeConfig)
	s.must(helm.Upgrade, "upgrade", map[string]any{"chart": s.save(newChart("2.0.0"))})
	s.wantRecords("db", "1 superseded", "2 deployed")
}

func TestAnOperationEndsAtItsTimeout(t *testing.T) {
	s := newSpoke(t)
	parameters := map[string]any{"chart": s.save(newChart("1.0.0")), "timeout": "100ms"}
	_ = s.stuck()
	_, err := s.finish(helm.Install, "create", parameters)
	final := (*workflow.FailureError)(nil)
	if err == nil || errors.As(err, &final) || !strings.Contains(err.Error(), "before it was done") {
		t.Errorf("the error is %v, want one that is tried again", err)
	}
	for _, record := range s.records("db") {
		if strings.Contains(record, "pending") {
			t.Errorf("the release is locked: %s", record)
		}
	}
}
