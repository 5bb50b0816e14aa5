package vela

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
)

func TestRespellNumber(t *testing.T) {
	for spelled, want := range map[string]string{
		"8080":                    "8080",
		"8080.0":                  "8080",
		"8e3":                     "8000",
		"1.5":                     "1.5",
		"-0.0":                    "0",
		"1e-400":                  "0",
		"9007199254740993":        "9007199254740993",
		"9007199254740993.0":      "9007199254740993",
		"999999999999999999999":   "999999999999999999999.0", // which rounds to 10^21
		"1000000000000000000000":  "1000000000000000000000.0",
		"1e21":                    "1e21",
		"1e400":                   "1e400",
		"123456789012345678901.5": "123456789012345678901.5",
	} {
		if got := respellNumber(spelled); got != want {
			t.Errorf("%s: got %s, want %s", spelled, got, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	got, err := canonical([]byte(`{"b":[{"z":1.0,"a":null}],"a":{"#x":1e2}}`))
	if err != nil || string(got) != `{"a":{"#x":100},"b":[{"a":null,"z":1}]}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := canonical([]byte(`{`)); err == nil {
		t.Error("what is no JSON was read")
	}
}

// Keys that KubeVela's definitions take for granted are there, and what is given lies over them.
func TestContextOf(t *testing.T) {
	got, err := contextOf(cue.Context{Name: "web"}.With(map[string]any{"cluster": "eu", "clusterVersion": map[string]any{"minor": " 25+ "}}), []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"name": "web", "appName": "web", "cluster": "eu", "workflowName": "", "clusterVersion": map[string]any{"minor": 25}} {
		if diff := cmp.Diff(want, got[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
