package helm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	helmtime "helm.sh/helm/v3/pkg/time"

	"wheelwright.dev/wheelwright/agent/helm"
)

func TestAReleaseIsInstalledThenUpgradedThenUninstalled(t *testing.T) {
	s := newSpoke(t)
	first := s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	want := fmt.Sprintf(`{"appVersion":"app-1.0.0","chart":"shop","chartVersion":"1.0.0","namespace":%[1]q,`+
		`"notes":"thanks for 1.0.0","releaseName":"db","resources":[`+
		`{"apiVersion":"v1","kind":"ConfigMap","name":"db-extra","namespace":%[1]q},`+
		`{"apiVersion":"v1","kind":"ConfigMap","name":"db-settings","namespace":%[1]q}],`+
		`"resourcesOmitted":0,"revision":1,"status":"deployed"}`, s.component.Namespace)
	if got, _ := json.Marshal(first); string(got) != want {
		t.Errorf("it returns\n%s, want\n%s", got, want)
	}
	upgrade := map[string]any{
		"chart": s.save(newChart("2.0.0")), "values": map[string]any{"size": int64(12345678901)}, "namespace": s.component.Namespace,
	}
	second := s.must(helm.Upgrade, "upgrade", upgrade)
	if second["revision"] != 2 || second["chartVersion"] != "2.0.0" {
		t.Errorf("the upgrade returns %v", second)
	}
	if data := s.configMap("db-settings"); data["size"] != "12345678901" || data["kind"] != "upgrade" {
		t.Errorf("the chart made %v, want the whole number that was given", data)
	}
	s.wantRecords("db", "1 superseded", "2 deployed")

	s.must(helm.Uninstall, "delete", nil)
	s.wantRecords("db")
	if data := s.configMap("db-settings"); data != nil {
		t.Errorf("the object is still there: %v", data)
	}
	s.must(helm.Uninstall, "delete again", nil)
}

// Reading what the API server says of its kinds takes longer than everything else that Helm does.
func TestNoOpenAPIDocumentIsRead(t *testing.T) {
	s := newSpoke(t)
	var read atomic.Int32
	s.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if strings.HasPrefix(request.URL.Path, "/openapi/") {
				read.Add(1)
			}
			return next.RoundTrip(request)
		})
	})
	s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	s.must(helm.Upgrade, "upgrade", map[string]any{"chart": s.save(newChart("2.0.0"))})
	s.must(helm.Uninstall, "delete", nil)
	if read.Load() > 0 {
		t.Errorf("%d OpenAPI documents were read", read.Load())
	}
}

func TestAStepThatIsAskedAgainAfterItWasDoneReturnsTheSame(t *testing.T) {
	s := newSpoke(t)
	parameters := map[string]any{"chart": s.save(newChart("1.0.0"))}
	first := s.must(helm.Install, "create", parameters)
	s.restart()
	if again := s.must(helm.Install, "create", parameters); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("it returns %v, want %v as before", again, first)
	}
	s.wantRecords("db", "1 deployed")
}

func TestBothActionsMakeTheReleaseWhateverWasBefore(t *testing.T) {
	s := newSpoke(t)
	parameters := map[string]any{"chart": s.save(newChart("1.0.0"))}
	s.must(helm.Upgrade, "upgrade of what is not there", parameters)
	s.wantRecords("db", "1 deployed")
	s.must(helm.Install, "create once more", parameters)
	s.wantRecords("db", "1 superseded", "2 deployed")
	s.refuses(helm.Upgrade, "no install", map[string]any{"release": "none", "chart": parameters["chart"], "install": false},
		"does not exist", "helm-install")
}

func TestHistoryIsBoundedAndKeptWhereItIsAskedFor(t *testing.T) {
	s := newSpoke(t)
	parameters := map[string]any{"chart": s.save(newChart("1.0.0")), "maxHistory": int64(2)}
	for _, event := range []string{"1", "2", "3", "4"} {
		s.must(helm.Upgrade, event, parameters)
	}
	s.wantRecords("db", "3 superseded", "4 deployed")
	s.must(helm.Uninstall, "delete", map[string]any{"keepHistory": true})
	s.wantRecords("db", "3 superseded", "4 uninstalled")
	s.must(helm.Install, "create", parameters)
	s.wantRecords("db", "4 superseded", "5 deployed")
}

// invalid is a template of an object that the API server refuses.
func invalid() *chart.File {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NOT_A_NAME\n"
	return &chart.File{Name: "templates/invalid.yaml", Data: []byte(text)}
}

func TestAChartThatFailsIsTriedAgainUnderTheSameRevision(t *testing.T) {
	s := newSpoke(t)
	s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	broken := map[string]any{"chart": s.save(newChart("2.0.0", invalid()))}
	for range 2 {
		if _, err := s.finish(helm.Upgrade, "upgrade", broken); err == nil || !strings.Contains(err.Error(), "NOT_A_NAME") {
			t.Fatalf("the error is %v, want one that says what is wrong", err)
		}
		s.wantRecords("db", "1 deployed", "2 failed")
	}
	s.must(helm.Upgrade, "next upgrade", map[string]any{"chart": s.save(newChart("3.0.0"))})
	s.wantRecords("db", "1 superseded", "2 failed", "3 deployed")
}

func TestAnUpgradeThatFailsIsRolledBackOnceWhereItIsAskedFor(t *testing.T) {
	s := newSpoke(t)
	s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	broken := map[string]any{"chart": s.save(newChart("2.0.0", invalid())), "rollbackOnFailure": true}
	if _, err := s.finish(helm.Upgrade, "upgrade", broken); err == nil || !strings.Contains(err.Error(), "NOT_A_NAME") {
		t.Fatalf("the error is %v, want one that says what is wrong", err)
	}
	for range 2 {
		s.wantRecords("db", "1 superseded", "2 failed", "3 deployed")
		s.restart()
		s.refuses(helm.Upgrade, "upgrade", broken, "revision 2 failed", "NOT_A_NAME")
	}
	if data := s.configMap("db-settings"); data["version"] != "1.0.0" {
		t.Errorf("the chart made %v, want what the first revision made", data)
	}
}

func TestAReleaseOfSomebodyElseIsLeftAlone(t *testing.T) {
	s := newSpoke(t)
	parameters := map[string]any{"release": "theirs", "chart": s.save(newChart("1.0.0"))}
	s.must(helm.Install, "create", parameters)
	s.component.UID, s.component.Name = "another", "web"
	s.refuses(helm.Install, "create", parameters, "theirs", "belongs to Component db", "takeOver")
	s.refuses(helm.Uninstall, "delete", map[string]any{"release": "theirs"}, "belongs to Component db")
	s.wantRecords("theirs", "1 deployed")

	byHand := s.history("theirs")[0]
	byHand.Version, byHand.Labels = 2, nil
	if err := s.storage().Create(byHand); err != nil {
		t.Fatal(err)
	}
	s.refuses(helm.Upgrade, "upgrade", parameters, "was not made by Wheelwright")
	parameters["takeOver"] = true
	s.must(helm.Upgrade, "take over", parameters)
	s.must(helm.Uninstall, "delete", map[string]any{"release": "theirs"})
}

func TestAPendingReleaseIsFreedOnceNobodyWorksOnIt(t *testing.T) {
	for name, test := range map[string]struct {
		status    release.Status
		change    func(*spoke, *release.Release)
		takeOver  bool
		wantError string
		want      []string
	}{
		"an install of an earlier event": {status: release.StatusPendingInstall, want: []string{"1 superseded", "2 deployed"}},
		"an upgrade of an earlier event": {status: release.StatusPendingUpgrade, want: []string{"1 superseded", "2 deployed"}},
		"a rollback of an earlier event": {status: release.StatusPendingRollback, want: []string{"1 superseded", "2 deployed"}},
		"somebody else's, for long": {
			status: release.StatusPendingUpgrade, takeOver: true, want: []string{"1 superseded", "2 deployed"},
			change: func(_ *spoke, record *release.Release) {
				record.Labels = nil
				record.Info.LastDeployed = helmtime.Time{Time: time.Now().AddDate(0, 0, -1)}
			},
		},
		"somebody else's, just now": {
			status: release.StatusPendingUpgrade, takeOver: true, want: []string{"1 pending-upgrade"},
			change:    func(_ *spoke, record *release.Release) { record.Labels = nil },
			wantError: "another operation is under way",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpoke(t)
			parameters := map[string]any{"chart": s.save(newChart("1.0.0")), "takeOver": test.takeOver}
			s.must(helm.Install, "create", parameters)
			record := s.history("db")[0]
			record.Info.Status = test.status
			if test.change != nil {
				test.change(s, record)
			}
			if err := s.storage().Update(record); err != nil {
				t.Fatal(err)
			}
			_, err := s.finish(helm.Upgrade, "upgrade", parameters)
			if (err != nil) != (test.wantError != "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Errorf("the error is %v, want %q", err, test.wantError)
			}
			s.wantRecords("db", test.want...)
		})
	}
}

func TestParametersThatCannotBeAreRefusedBeforeAnythingIsAsked(t *testing.T) {
	s := newSpoke(t)
	for name, test := range map[string]struct {
		action     string
		parameters map[string]any
		want       string
	}{
		"no chart":             {helm.Install, map[string]any{}, "names no chart"},
		"an unknown field":     {helm.Install, map[string]any{"chart": "x", "vaules": map[string]any{}}, "no parameter vaules"},
		"the other's field":    {helm.Install, map[string]any{"chart": "x", "install": true}, "no parameter install"},
		"another's field":      {helm.Uninstall, map[string]any{"chart": "x"}, "no parameter chart"},
		"another namespace":    {helm.Install, map[string]any{"chart": "x", "namespace": "kube-system"}, "not the Component's"},
		"a bad release name":   {helm.Install, map[string]any{"chart": "x", "release": "Big_Name"}, "Big_Name"},
		"a bad timeout":        {helm.Install, map[string]any{"chart": "x", "timeout": "soon"}, "no duration"},
		"no history":           {helm.Install, map[string]any{"chart": "x", "maxHistory": int64(0)}, "maxHistory"},
		"values of a kind":     {helm.Install, map[string]any{"chart": "x", "values": "a=b"}, "values must be a struct"},
		"a wrong type":         {helm.Install, map[string]any{"chart": int64(3)}, "parameters are wrong"},
		"no versions to go by": {helm.MigrateSchema, map[string]any{"chart": "x"}, "fromVersion"},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.refuses(test.action, "event", test.parameters, test.want)
		})
	}
}
