package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const definitions = "../../examples/definitions"

// wheel runs `wheel render` with args.
func wheelRender(t *testing.T, args ...string) (output, warnings string, err error) {
	t.Helper()
	command := renderCommand()
	var out, errOut bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&errOut)
	command.SilenceUsage, command.SilenceErrors = true, true
	command.SetArgs(append([]string{"--definitions", definitions}, args...))
	err = command.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestRenderCommand(t *testing.T) {
	output, warnings, err := wheelRender(t, "-f", definitions+"/site.yaml", "-o", "json")
	if err != nil || warnings != "" {
		t.Fatalf("%v, warnings %s", err, warnings)
	}
	var objects []map[string]any
	if err := json.Unmarshal([]byte(output), &objects); err != nil || len(objects) != 3 {
		t.Errorf("got %d objects, %v: %s", len(objects), err, output)
	}
	if output, _, err := wheelRender(t, "-f", definitions+"/batch.yaml"); err != nil || !strings.HasPrefix(output, "- apiVersion: batch/v1\n") {
		t.Errorf("got %v: %s", err, output)
	}
}

func TestRenderCommandNamesWhatWaits(t *testing.T) {
	output, warnings, err := wheelRender(t, "-f", definitions+"/stack.yaml")
	if err != nil || warnings != "warning: output frontend waits for context.outputs.backend.status.exports.host\n" {
		t.Errorf("got %v, warnings %q", err, warnings)
	}
	if !strings.Contains(output, "name: shop-backend") || strings.Contains(output, "shop-frontend") {
		t.Errorf("got %s", output)
	}
	live := filepath.Join(t.TempDir(), "context.yaml")
	if err := os.WriteFile(live, []byte("outputs: {backend: {status: {exports: {host: there}}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	output, warnings, err = wheelRender(t, "-f", definitions+"/stack.yaml", "--context", live)
	if err != nil || warnings != "" || !strings.Contains(output, "BACKEND: http://there:8080") {
		t.Errorf("with the backend live: got %v, warnings %q: %s", err, warnings, output)
	}
}

// The file may stand behind --status with an equals sign or without one; or there is none.
func TestRenderCommandStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"as a word":      {[]string{"--status", definitions + "/site-live.yaml"}, "isHealthy: true"},
		"with an equals": {[]string{"--status=" + definitions + "/site-live.yaml"}, "isHealthy: true"},
		"without a file": {[]string{"--status"}, "isHealthy: false"},
	} {
		output, _, err := wheelRender(t, append([]string{"-f", definitions + "/site.yaml"}, tc.args...)...)
		if err != nil || !strings.Contains(output, tc.want) {
			t.Errorf("%s: got %v: %s", name, err, output)
		}
	}
}

func TestRenderCommandRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no component":      {nil, `required flag(s) "filename" not set`},
		"an unknown output": {[]string{"-f", definitions + "/site.yaml", "-o", "xml"}, `unknown output "xml": use yaml or json`},
		"a word too many":   {[]string{"-f", definitions + "/site.yaml", "more"}, `unknown command "more"`},
		"no file":           {[]string{"-f", "none.yaml"}, "none.yaml"},
	} {
		if _, _, err := wheelRender(t, tc.args...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, tc.want)
		}
	}
}
