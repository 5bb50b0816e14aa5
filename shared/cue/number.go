package cue

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// checkNumber refuses a number with an exponent that no float has. CUE v0.14 would take 1e999999 for 1, without a word.
func checkNumber(literal *ast.BasicLit) []Problem {
	if literal.Kind != token.FLOAT {
		return nil
	}
	text := strings.ReplaceAll(literal.Value, "_", "")
	mantissa, _, hasExponent := strings.Cut(strings.ToLower(text), "e")
	if !hasExponent {
		return nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err == nil && (value != 0 || strings.Trim(mantissa, "0.") == "") {
		return nil
	}
	return []Problem{{
		Position: formatPosition(literal.Pos()),
		Message:  fmt.Sprintf("the number %s is too large or too small: it does not fit into a float of 64 bits", shorten(literal.Value)),
	}}
}
