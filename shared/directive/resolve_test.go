package directive

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
)

// shelf is a Lookup with fixed content.
type shelf struct {
	parameters   map[string]any
	sources      map[string]map[string]any
	dependencies map[string]map[string]any
	failure      error
}

func (s shelf) Parameter(name string) (any, bool, error) {
	value, ok := s.parameters[name]
	return value, ok, s.failure
}

func (s shelf) Source(kind, name string) (map[string]any, bool, error) {
	data, ok := s.sources[kind+" "+name]
	return data, ok, s.failure
}

func (s shelf) Dependency(component string) (map[string]any, bool, error) {
	exports, ok := s.dependencies[component]
	return exports, ok, s.failure
}

var full = shelf{
	parameters:   map[string]any{"size": 3, "none": nil},
	sources:      map[string]map[string]any{"ConfigMap settings": {"host": "h", "app.conf": "c"}, "Secret database": {"password": "s3cret"}},
	dependencies: map[string]map[string]any{"database": {"host": "db", "deep": map[string]any{"port": 5432}}},
}

func TestResolve(t *testing.T) {
	for name, tc := range map[string]struct{ properties, want string }{
		"nothing":             {`{"a":1}`, `{"a":1}`},
		"parameter":           {`{"a":{"fromParameter":"size"}}`, `{"a":3}`},
		"parameter, null":     {`{"a":{"fromParameter":"none"}}`, `{"a":null}`},
		"parameter, default":  {`{"a":{"fromParameter":{"name":"x","default":{"b":1}}}}`, `{"a":{"b":1}}`},
		"no default wanted":   {`{"a":{"fromParameter":{"name":"size","default":1}}}`, `{"a":3}`},
		"configmap":           {`{"a":{"fromSource":"settings.host"}}`, `{"a":"h"}`},
		"a key with a dot":    {`{"a":{"fromSource":"configmap/settings.app.conf"}}`, `{"a":"c"}`},
		"secret":              {`{"a":{"fromSource":"secret/database.password"}}`, `{"a":"s3cret"}`},
		"source, map":         {`{"a":{"fromSource":{"kind":"Secret","name":"database","path":"password"}}}`, `{"a":"s3cret"}`},
		"source, default":     {`{"a":{"fromSource":{"name":"settings","path":"x","default":"d"}}}`, `{"a":"d"}`},
		"dependency":          {`{"a":{"fromDependency":"database.host"}}`, `{"a":"db"}`},
		"dependency, deep":    {`{"a":{"fromDependency":{"component":"database","path":"deep.port"}}}`, `{"a":5432}`},
		"any depth":           {`{"a":[{"b":[{"fromParameter":"size"},2]}]}`, `{"a":[{"b":[3,2]}]}`},
		"more keys are plain": {`{"a":{"fromParameter":"size","other":1}}`, `{"a":{"fromParameter":"size","other":1}}`},
		"keys are no values":  {`{"fromParameterX":"size"}`, `{"fromParameterX":"size"}`},
		"numbers stay exact":  {`{"n":9007199254740993,"a":{"fromParameter":"size"}}`, `{"a":3,"n":9007199254740993}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve([]byte(tc.properties), full)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Properties) != tc.want {
				t.Errorf("got %s, want %s", got.Properties, tc.want)
			}
		})
	}
}

// The hub knows parameters and leaves the rest to the spoke.
func TestResolveParameters(t *testing.T) {
	for properties, want := range map[string]string{
		`{ "a": 1 }`:                    `{ "a": 1 }`,
		`{ "a": {"fromSource":"x.y"} }`: `{ "a": {"fromSource":"x.y"} }`,
		`{"b":{"fromSource":"x.y"},"a":{"fromParameter":"size"},"c":[{"fromDependency":{"component":"d","path":"e"}}]}`: `{"a":3,"b":{"fromSource":"x.y"},"c":[{"fromDependency":{"component":"d","path":"e"}}]}`,
	} {
		if got, err := ResolveParameters([]byte(properties), full.parameters); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v", properties, got, err)
		}
	}
	if _, err := ResolveParameters([]byte(`{"a":{"fromParameter":"x"}}`), nil); err == nil || !strings.Contains(err.Error(), `there is no parameter "x"`) {
		t.Errorf("got %v", err)
	}
}

func TestStrip(t *testing.T) {
	got, open, err := Strip([]byte(`{"a":{"b":{"fromParameter":"x"},"c":1},"d":[1,{"e":{"fromSource":"y.z"}}],"f":[2]}`))
	if err != nil || string(got) != `{"a":{"c":1},"f":[2]}` {
		t.Errorf("got %s, %v", got, err)
	}
	if diff := cmp.Diff([]string{"a.b", "d"}, open); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	if got, open, err := Strip([]byte(`{"fromParameter":"all"}`)); err != nil || string(got) != `{}` || !slices.Equal(open, []string{""}) {
		t.Errorf("properties that are a directive as a whole: got %s, %q, %v", got, open, err)
	}
	if _, _, err := Strip([]byte(`{"a":{"fromSource":"y"}}`)); err == nil {
		t.Error("a directive that nobody can read was taken out")
	}
}

func TestDependencies(t *testing.T) {
	got := Dependencies([]byte(`{"a":{"fromDependency":"x.y"},"b":[{"fromDependency":{"component":"z","path":"y"}}],"c":{"fromDependency":"x.z"}}`))
	if diff := cmp.Diff([]string{"x", "z"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A value that a directive brings is a value, whatever it looks like.
func TestResolveOnce(t *testing.T) {
	lookup := shelf{parameters: map[string]any{"a": map[string]any{"fromSource": "secret/database.password"}}, sources: full.sources}
	got, err := Resolve([]byte(`{"x":{"fromParameter":"a"}}`), lookup)
	if err != nil || string(got.Properties) != `{"x":{"fromSource":"secret/database.password"}}` {
		t.Errorf("got %s, %v", got.Properties, err)
	}
}

func TestUnresolved(t *testing.T) {
	for name, tc := range map[string]struct {
		properties string
		waits      bool
		want       []string
	}{
		"no parameter":           {`{"a":{"fromParameter":"x"}}`, false, []string{`property "a" takes its value fromParameter: x: there is no parameter "x"`}},
		"no source":              {`{"a":[{"fromSource":"x.y"}]}`, true, []string{`property "a[0]"`, `fromSource: x.y`, `no ConfigMap "x" in the component's namespace`}},
		"a default is no source": {`{"a":{"fromSource":{"name":"x","path":"y","default":1}}}`, true, []string{`no ConfigMap "x"`}},
		"no key":                 {`{"a":{"fromSource":"secret/database.pass"}}`, true, []string{`fromSource: secret/database.pass`, `there is no "pass"; there are password`}},
		"no dependency":          {`{"a":{"fromDependency":"cache.host"}}`, true, []string{`component "cache" exports nothing yet`}},
		"all at once, in order":  {`{"b":{"fromParameter":"y"},"a":{"fromDependency":"cache.host"}}`, false, []string{`property "a"`, `; property "b"`}},
		"no path":                {`{"a":{"fromSource":"x"}}`, false, []string{`fromSource "x" has no path, want name.key of a ConfigMap`}},
		"another kind":           {`{"a":{"fromSource":"pod/x.y"}}`, false, []string{`names a pod, want a configmap or a secret`}},
		"no text":                {`{"a":{"fromParameter":3}}`, false, []string{`want the name of a parameter, or {name, default}`}},
		"an unknown field":       {`{"a":{"fromDependency":{"name":"x","path":"y"}}}`, false, []string{`fromDependency has no field "name", want component.export, or {component, path, default}`}},
		"a field missing":        {`{"a":{"fromDependency":{"component":"x"}}}`, false, []string{`fromDependency has no path`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Resolve([]byte(tc.properties), full)
			unresolved := (*UnresolvedError)(nil)
			if !errors.As(err, &unresolved) {
				t.Fatalf("got %v, want an UnresolvedError", err)
			}
			if unresolved.Waits() != tc.waits {
				t.Errorf("waits: %v", unresolved.Waits())
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the message does not say %q: %v", part, err)
				}
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the message shows a Secret's value: %v", err)
			}
		})
	}
	failure := errors.New("the API is away")
	if _, err := Resolve([]byte(`{"a":{"fromSource":"x.y"}}`), shelf{failure: failure}); !errors.Is(err, failure) {
		t.Errorf("got %v, want the lookup's failure", err)
	}
}

func TestSecretsDoNotShow(t *testing.T) {
	resolved, err := Resolve([]byte(`{"db":{"password":{"fromSource":"secret/database.password"}},"port":{"fromParameter":"size"}}`), full)
	if err != nil {
		t.Fatal(err)
	}
	got := resolved.Error(&cue.Error{Problems: []cue.Problem{
		{Path: "db.password", Message: `parameter "db.password": "s3cret" is not allowed`},
		{Path: "db", Message: `parameter "db": {"password":"s3c… is not allowed`},
		{Path: "port", Message: `parameter "port": 3 is not allowed`},
		{Path: "port", Message: `parameter "port": 3 does not go with the other parameters: conflicting values "s3cret"`},
		{Path: "x", Message: `unknown parameter "x"`},
		{Position: "a/b.cue:1:2", Path: "outputs[0].value", Message: `conflicting values "S3CRET" and "y"`},
	}})
	want := &cue.Error{Problems: []cue.Problem{
		{Path: "db.password", Message: withheld},
		{Path: "db", Message: withheld},
		{Path: "port", Message: `parameter "port": 3 is not allowed`},
		{Path: "port", Message: withheld},
		{Path: "x", Message: `unknown parameter "x"`},
		{Position: "a/b.cue:1:2", Path: "outputs[0].value", Message: withheld},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	exports := resolved.Values(map[string]any{"url": "db://s3cret@h", "n": 1, "list": []any{"s3cret"}})
	if diff := cmp.Diff(map[string]any{"url": "db://[redacted]@h", "n": 1, "list": []any{"[redacted]"}}, exports); diff != "" {
		t.Errorf("exports (-want +got):\n%s", diff)
	}
}
