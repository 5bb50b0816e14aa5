package definitions

import (
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"github.com/google/go-cmp/cmp"
)

// texts are hard to quote.
var texts = []string{
	"", "plain", `with "quotes"`, `back\slash \(x)`, `\#(x)`, `"#`, `"""`, `"""#`,
	"\n", "\n\n", "a\n", "a\nb", "a\n\nb\n", "\ta\n\t\tb", " a\nb",
	"  \na", "a\n  \n", "a\r\nb", "a\x00b\n", "a\n\"\"\"#\n\\#(b)\n\"\"\"##\n\\##(b)",
	strings.Repeat(`"`, 5) + "\n#", "é ☃ \U0001F600\nx", "a\u2028b\nc", "a\t\nb",
	"isHealth: context.output.status.phase == \"Running\" && \"\\(context.name)\" != \"\"\n",
}

func TestTextsReadAsTheyWere(t *testing.T) {
	for _, text := range texts {
		written := textOf(text)
		if got, err := literal.Unquote(written.Value); err != nil || got != text {
			t.Errorf("%q is written as %s, which reads as %q, %v", text, written.Value, got, err)
		}
		// Formatting moves the lines of a text to where the field is.
		nested := expressionOf(map[string]any{"a": map[string]any{"b": map[string]any{"text": text}}})
		formatted, err := format.Node(&ast.File{Decls: nested.(*ast.StructLit).Elts})
		if err != nil {
			t.Fatal(err)
		}
		got, err := cuecontext.New().CompileBytes(formatted).LookupPath(cue.ParsePath("a.b.text")).String()
		if err != nil || got != text {
			t.Errorf("%q is formatted as\n%s, which reads as %q, %v", text, formatted, got, err)
		}
	}
}

func TestCUEInATextIsNotEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                       `"plain"`,
		`phase == "Running"`:          `#"phase == "Running""#`,
		"a: \"\\(b)\"\nisHealth: a\n": "#\"\"\"\n\ta: \"\\(b)\"\n\tisHealth: a\n\n\t\"\"\"#",
		"a: #\"\\#(b)\"#\nc":          "##\"\"\"\n\ta: #\"\\#(b)\"#\n\tc\n\t\"\"\"##",
	} {
		if got := textOf(text).Value; got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestValuesAsCUE(t *testing.T) {
	value := map[string]any{
		"for": true, "_hidden": int64(-3), "#odd": 0.25, "a-b": nil, "plain": []any{"x", map[string]any{}, []any{int64(1)}}, "": "empty",
	}
	formatted, err := format.Node(expressionOf(value))
	if err != nil {
		t.Fatal(err)
	}
	got, err := cuecontext.New().CompileBytes(formatted).MarshalJSON()
	if err != nil {
		t.Fatalf("%v:\n%s", err, formatted)
	}
	want := `{"":"empty","#odd":0.25,"_hidden":-3,"a-b":null,"for":true,"plain":["x",{},[1]]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s\n(-want +got):\n%s", formatted, diff)
	}
}
