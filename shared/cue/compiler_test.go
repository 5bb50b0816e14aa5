package cue

import (
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/definition"
)

func TestCompileRefuses(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  []string
	}{
		"syntax error": {
			files: map[string]string{"template.cue": "parameters: {\n\timage: string\n}\noutputs: [{name: \"a\", value: }]"},
			want:  []string{`webservice/template.cue:4:30: expected operand, found '}'`},
		},
		"syntax errors in several files": {
			files: map[string]string{"template.cue": "outputs: [", "health.cue": "isHealthy: ==", "exports.cue": "exports: {}"},
			want: []string{
				`webservice/health.cue:1:12: expected operand, found '=='`,
				`webservice/template.cue:1:11: expected ']', found 'EOF'`,
			},
		},
		"unresolved reference": {
			files: map[string]string{"template.cue": "outputs: [{name: nme, value: kind: \"A\"}]\nisHealthy: statu.x"},
			want: []string{
				`webservice/template.cue:1:18: outputs.name: reference "nme" not found`,
				`webservice/template.cue:2:12: isHealthy: reference "statu" not found`,
			},
		},
		"import beyond the standard library": {
			files: map[string]string{"template.cue": "import \"example.com/x\"\noutputs: [x.y]"},
			want:  []string{`webservice/template.cue:1:8: the import cannot be resolved: a definition can import nothing but CUE's standard library`},
		},
		"unused import": {
			files: map[string]string{"template.cue": "import \"list\"\noutputs: []"},
			want:  []string{`webservice/template.cue:1:8: imported and not used: "list"`},
		},
		"empty definition": {
			files: map[string]string{"template.cue": ""},
			want:  []string{`webservice: the definition declares no outputs: add outputs: [{name: ..., value: {...}}] to one of its files`},
		},
		"no files": {
			want: []string{`webservice: the definition declares no outputs: add outputs: [{name: ..., value: {...}}] to one of its files`},
		},
		"two declarations of parameters": {
			files: map[string]string{"template.cue": "parameters: {}\noutputs: []", "more.cue": "\nparameter: {}"},
			want:  []string{`webservice/more.cue:2:1: parameter: the definition declares both parameters and parameter: keep one of them`},
		},
		"parameters that are no struct": {
			files: map[string]string{"template.cue": "parameters: string\noutputs: []"},
			want:  []string{`webservice/template.cue:1:1: parameters: parameters must be a struct, as in parameters: {image: string}`},
		},
		"hostile size": {
			files: map[string]string{"template.cue": "outputs: [] // " + strings.Repeat("x", MaxSourceBytes)},
			want:  []string{`webservice: the definition has 1048591 bytes of CUE; at most 1048576 are allowed`},
		},
		"hostile depth": {
			files: map[string]string{"template.cue": "outputs: " + strings.Repeat("[", 100_000)},
			want:  []string{`webservice: the definition has 100001 opening brackets and colons; at most 50000 are allowed`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := NewCompiler(Options{}).Compile(definition.Definition{Name: "webservice", Files: tc.files})
			wantProblems(t, err, tc.want)
		})
	}
}

// Nothing that is allowed by size may bring the process down: a stack that overflows cannot be recovered from.
func TestCompileSurvives(t *testing.T) {
	fill := func(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }
	for name, source := range map[string]string{
		"brackets":    "x: " + fill("[", MaxOpenings-10),
		"parentheses": "outputs: [" + fill("(", 24_000) + "1" + fill(")", 24_000) + "]",
		"structs":     "outputs: []\nx: " + fill("{a:", 3*24_000) + "1" + fill("}", 24_000),
		"unary":       "outputs: [" + fill("!", 1_000_000) + "true]",
		"sum":         "outputs: [1" + fill("+1", 200_000) + "]",
		"selectors":   "a: _\noutputs: [a" + fill(".a", 200_000) + "]",
		"labels":      "outputs: []\n" + fill("a:", 80_000) + "1",
		"fields":      "outputs: []\n" + fill("a: 1\n", 25_000),
	} {
		t.Run(name, func(t *testing.T) {
			template, err := NewCompiler(Options{}).Compile(define(source))
			if err != nil {
				return
			}
			_, _ = template.Render(Context{Name: "a"}, nil) // any answer will do
		})
	}
}

func TestCompileKeepsByNameAndContent(t *testing.T) {
	compiler := NewCompiler(Options{Templates: 2})
	first := mustCompile(t, compiler, define("outputs: [] // 1"))
	if again := mustCompile(t, compiler, define("outputs: [] // 1")); again != first {
		t.Error("the same definition was compiled twice")
	}
	renamed := define("outputs: [] // 1")
	renamed.Name = "other"
	if other := mustCompile(t, compiler, renamed); other == first {
		t.Error("two names share a template, so that places would name the wrong definition")
	}
	mustCompile(t, compiler, define("outputs: [] // 1"))
	mustCompile(t, compiler, define("outputs: [] // 2"))
	if len(compiler.entries) != 2 || compiler.recent.Len() != 2 {
		t.Errorf("got %d entries, want the bound of 2", len(compiler.entries))
	}
	if again := mustCompile(t, compiler, define("outputs: [] // 1")); again != first {
		t.Error("the definition that was used last was dropped in place of the one that was not")
	}
}

func TestCompileDoesNotKeepFailures(t *testing.T) {
	compiler := NewCompiler(Options{})
	for range 2 {
		if _, err := compiler.Compile(define("outputs: [")); err == nil {
			t.Fatal("got no error")
		}
	}
	if len(compiler.entries) != 0 {
		t.Errorf("got %d entries, want none", len(compiler.entries))
	}
}

func TestDefaultsThatConflictAreNoCompileError(t *testing.T) {
	// With the default in place there is a conflict; another value in its place resolves it.
	template := compile(t, `parameters: mode: *"a" | "b"
outputs: [{name: "x", value: {apiVersion: "v1", kind: "ConfigMap", if parameters.mode == "a" {data: "x" & "y"}}}]`)
	if _, err := template.Render(Context{Name: "x"}, []byte(`{"mode":"b"}`)); err != nil {
		t.Errorf("Render: %v", err)
	}
	if _, err := template.Render(Context{Name: "x"}, nil); err == nil {
		t.Error("the conflicting default rendered")
	}
}

func mustCompile(t *testing.T, compiler *Compiler, def definition.Definition) *Template {
	t.Helper()
	template, err := compiler.Compile(def)
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return template
}
