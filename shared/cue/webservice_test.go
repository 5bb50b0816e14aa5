package cue

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/definition"
)

const webserviceProperties = `{"image":"nginx:1.27","port":8080,"replicas":2,"env":{"B":"2","A":"1"},"config":{"greeting":"hello"}}`

func webservice(t testing.TB) definition.Definition {
	t.Helper()
	def, err := definition.FromDirectory(os.DirFS("../../examples/quickstart/definitions/component"), "webservice")
	if err != nil {
		t.Fatalf("FromDirectory: %v", err)
	}
	return def
}

func TestWebservice(t *testing.T) {
	template := mustCompile(t, NewCompiler(Options{}), webservice(t))
	if err := template.CheckParameters([]byte(webserviceProperties)); err != nil {
		t.Fatalf("CheckParameters: %v", err)
	}
	context := Context{Name: "store-web", Namespace: "shop"}
	outputs, err := template.Render(context, []byte(webserviceProperties))
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	var got []string
	for _, output := range outputs {
		got = append(got, output.Name+" "+output.Object.GetKind()+" "+output.Object.GetName())
	}
	want := []string{"config ConfigMap store-web-config", "workload Deployment store-web", "service Service store-web"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	changed, err := template.Render(context, []byte(`{"image":"nginx:1.27","port":8080,"replicas":2,"env":{"B":"2","A":"1"},"config":{"greeting":"bye"}}`))
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	if cmp.Equal(outputs[0].Object, changed[0].Object) {
		t.Error("a change of config does not reach the ConfigMap")
	}
	for i := range outputs[1:] {
		if diff := cmp.Diff(outputs[1+i].Object, changed[1+i].Object); diff != "" {
			t.Errorf("a change of config reaches %s, though pods must not roll:\n%s", outputs[1+i].Name, diff)
		}
	}
}

func TestWebserviceHealth(t *testing.T) {
	template := mustCompile(t, NewCompiler(Options{}), webservice(t))
	for name, tc := range map[string]struct {
		properties string
		workload   map[string]any
		want       Judgement
	}{
		"no pods yet": {webserviceProperties, map[string]any{}, Judgement{Message: "0 of 2 replicas are ready, 0 are up to date"}},
		"old pods only": {webserviceProperties, map[string]any{"ready": int64(2), "updated": int64(1)},
			Judgement{Message: "2 of 2 replicas are ready, 1 are up to date"}},
		"ready": {webserviceProperties, map[string]any{"ready": int64(2), "updated": int64(2)}, Judgement{
			Healthy: true, Message: "2 of 2 replicas are ready, 2 are up to date",
			Exports: map[string]any{"host": "web.shop.svc", "port": int64(8080), "clusterIP": "10.0.0.1", "url": "http://web.shop.svc:8080"},
		}},
		"no pods wanted": {`{"image":"nginx","replicas":0}`, map[string]any{}, Judgement{
			Healthy: true, Message: "0 of 0 replicas are ready, 0 are up to date",
			Exports: map[string]any{"host": "web.shop.svc", "port": int64(80), "clusterIP": "10.0.0.1", "url": "http://web.shop.svc:80"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			context := Context{Name: "web", Namespace: "shop", Status: map[string]map[string]any{
				"workload": tc.workload, "service": {"clusterIP": "10.0.0.1"},
			}}
			got, err := template.Judge(context, []byte(tc.properties))
			if err != nil {
				t.Fatalf("Judge: %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("judgement (-want +got):\n%s", diff)
			}
		})
	}
}
