package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestAuthorCommands runs what definition authors use, over the examples and over a folder with something wrong.
func TestAuthorCommands(t *testing.T) {
	wrong := t.TempDir()
	for file, content := range map[string]string{
		"component/a.cue":           "parameters: {a: int, b: int}\noutputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"T\", a: parameters.a}}]",
		"component/a.tests/no.yaml": "properties: {a: 1, b: 2}\nexpect: {error: none}",
	} {
		place := filepath.Join(wrong, file)
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		command   *cobra.Command
		args      []string
		want, err string
	}{
		"schema as a table":        {schemaCommand(), []string{"site", "--definitions", definitions}, "port       int             no         80        ≥ 1, ≤ 65535   port that the site listens on.", ""},
		"schema as JSON":           {schemaCommand(), []string{"sized", "--definitions", definitions, "-o", "json"}, `"https://json-schema.org/draft/2020-12/schema"`, ""},
		"schema in another format": {schemaCommand(), []string{"site", "--definitions", definitions, "-o", "xml"}, "", `unknown output "xml": use table or json`},
		"schema of another kind":   {schemaCommand(), []string{"site", "--definitions", definitions, "--kind", "trait"}, "", `there is no trait "site"`},
		"vet":                      {vetCommand(), []string{definitions}, "no problems; definitions looked at: 7\n", ""},
		"vet with a finding":       {vetCommand(), []string{wrong}, "component/a.cue:1:22: parameter \"b\" is declared and nothing reads it", "1 problem found in " + wrong},
		"vet of no folder":         {vetCommand(), []string{filepath.Join(wrong, "none")}, "", "opening the folder of definitions"},
		"test":                     {testCommand(), []string{definitions}, "ok      component/site/tests/ready.yaml\n", ""},
		"test with a failure":      {testCommand(), []string{wrong}, "FAIL    component/a.tests/no.yaml\n    got no error", "1 of 1 cases failed"},
		"test without cases":       {testCommand(), []string{t.TempDir()}, "", "there are no cases in"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			tc.command.SetOut(&out)
			tc.command.SilenceUsage, tc.command.SilenceErrors = true, true
			tc.command.SetArgs(tc.args)
			err := tc.command.ExecuteContext(t.Context())
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got error %v, want %q", err, tc.err)
			}
			if !strings.Contains(out.String(), tc.want) {
				t.Errorf("got %s\nwant %s in it", out.String(), tc.want)
			}
		})
	}
}
