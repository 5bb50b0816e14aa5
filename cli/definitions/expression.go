package definitions

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// maxHashes bounds how many # a literal gets. Nobody writes more.
const maxHashes = 8

// expressionOf is a value of JSON as CUE, in a stable order.
func expressionOf(value any) ast.Expr {
	switch value := value.(type) {
	case map[string]any:
		var fields []ast.Decl
		for _, name := range slices.Sorted(maps.Keys(value)) {
			fields = append(fields, fieldOf(name, value[name]))
		}
		return structOf(fields)
	case []any:
		list := &ast.ListLit{}
		for _, item := range value {
			list.Elts = append(list.Elts, expressionOf(item))
		}
		return list
	case string:
		return textOf(value)
	case bool:
		return ast.NewBool(value)
	case int64:
		return ast.NewLit(token.INT, strconv.FormatInt(value, 10))
	case float64:
		return ast.NewLit(token.FLOAT, strconv.FormatFloat(value, 'g', -1, 64))
	}
	return ast.NewNull()
}

// fieldOf is a field on a line of its own.
func fieldOf(name string, value any) *ast.Field {
	field := &ast.Field{Label: ast.NewString(name), Value: expressionOf(value)}
	if ast.IsValidIdent(name) && !strings.ContainsAny(name[:1], "_#") && token.Lookup(name) == token.IDENT {
		field.Label = ast.NewIdent(name)
	}
	ast.SetRelPos(field, token.Newline)
	return field
}

// textOf is a text as a literal in which it reads as it is, since it may be CUE itself: over as many lines, and with as many
// # about it that nothing in it is an escape. A text for which there is no such literal is escaped.
func textOf(text string) *ast.BasicLit {
	if strings.ContainsFunc(text, func(char rune) bool { return unicode.IsControl(char) && char != '\n' && char != '\t' }) {
		return ast.NewString(text)
	}
	quote, raw := `"`, text
	if strings.Contains(text, "\n") {
		quote, raw = `"""`, "\n"+indented(text)+"\n\t"
	}
	if raw == text && !strings.ContainsAny(text, `"\`) {
		return ast.NewString(text)
	}
	for count := 1; count <= maxHashes; count++ {
		hashes := strings.Repeat("#", count)
		if strings.Contains(text, quote+hashes) || strings.Contains(text, `\`+hashes) {
			continue
		}
		written := hashes + quote + raw + quote + hashes
		if back, err := literal.Unquote(written); err == nil && back == text {
			return ast.NewLit(token.STRING, written)
		}
		break
	}
	return ast.NewString(text)
}

// indented is a text with a tab before each line that is not empty.
func indented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "\t" + line
		}
	}
	return strings.Join(lines, "\n")
}
