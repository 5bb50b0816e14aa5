package cue

import (
	"fmt"
	"math/big"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"
)

// sizedInts are the bounds that CUE folds into a name: it makes uint16 & >=1 of int & >=1 & <=65535, and a person wrote the
// latter.
var sizedInts = map[string]struct{ least, most string }{
	"uint":   {"0", ""},
	"uint8":  {"0", "255"},
	"uint16": {"0", "65535"},
	"uint32": {"0", "4294967295"},
	"uint64": {"0", "18446744073709551615"},
	"int8":   {"-128", "127"},
	"int16":  {"-32768", "32767"},
	"int32":  {"-2147483648", "2147483647"},
	"int64":  {"-9223372036854775808", "9223372036854775807"},
	"rune":   {"0", "1114111"},
	"byte":   {"0", "255"},
}

// wantedValue says which values schema takes: in words where they are numbers within bounds, and else as the definition
// spells the constraint, on one line.
func wantedValue(schema cue.Value) string {
	expression, ok := schema.Syntax().(ast.Expr)
	if !ok {
		return oneLine(fmt.Sprint(schema))
	}
	alternatives, preferred := alternativesOf(expression)
	words := make([]string, len(alternatives))
	inWords := false
	for i, alternative := range alternatives {
		bounds, ok := boundsOf(alternative)
		if ok {
			words[i], inWords = bounds.String(), true
			continue
		}
		words[i] = spell(alternative)
	}
	if !inWords {
		return oneLine(fmt.Sprint(schema))
	}
	wanted := strings.Join(words, " or ")
	if preferred != nil {
		wanted += ", default " + spell(preferred)
	}
	return shorten(wanted)
}

// alternativesOf takes a disjunction apart. A default that some other alternative covers is named apart, as preferred.
func alternativesOf(expression ast.Expr) (alternatives []ast.Expr, preferred ast.Expr) {
	switch node := expression.(type) {
	case *ast.ParenExpr:
		return alternativesOf(node.X)
	case *ast.BinaryExpr:
		if node.Op != token.OR {
			break
		}
		left, preferredLeft := alternativesOf(node.X)
		right, preferredRight := alternativesOf(node.Y)
		if preferredLeft == nil {
			preferredLeft = preferredRight
		}
		return append(left, right...), preferredLeft
	case *ast.UnaryExpr:
		if node.Op == token.MUL {
			return nil, node.X
		}
	}
	return []ast.Expr{expression}, nil
}

// bounds are the limits of a number.
type bounds struct {
	whole       bool
	least, most *big.Float
	// above and below exclude the limit itself.
	above, below bool
}

// boundsOf reads a conjunction of a type of number and comparisons. It is not ok for anything else.
func boundsOf(expression ast.Expr) (bounds, bool) {
	var found bounds
	if !found.add(expression) || found.least == nil && found.most == nil {
		return bounds{}, false
	}
	return found, true
}

func (b *bounds) add(expression ast.Expr) bool {
	switch node := expression.(type) {
	case *ast.ParenExpr:
		return b.add(node.X)
	case *ast.BinaryExpr:
		return node.Op == token.AND && b.add(node.X) && b.add(node.Y)
	case *ast.Ident:
		sized, ok := sizedInts[node.Name]
		b.whole = b.whole || ok || node.Name == "int"
		b.raise(parseNumber(sized.least), false)
		b.lower(parseNumber(sized.most), false)
		return ok || node.Name == "int" || node.Name == "number" || node.Name == "float"
	case *ast.UnaryExpr:
		return b.compare(node.Op, parseNumber(spell(node.X)))
	}
	return false
}

func (b *bounds) compare(op token.Token, limit *big.Float) bool {
	switch {
	case limit == nil:
		return false
	case op == token.GEQ || op == token.GTR:
		b.raise(limit, op == token.GTR)
	case op == token.LEQ || op == token.LSS:
		b.lower(limit, op == token.LSS)
	default:
		return false
	}
	return true
}

func (b *bounds) raise(limit *big.Float, above bool) {
	if limit != nil && (b.least == nil || limit.Cmp(b.least) >= 0) {
		b.least, b.above = limit, above
	}
}

func (b *bounds) lower(limit *big.Float, below bool) {
	if limit != nil && (b.most == nil || limit.Cmp(b.most) <= 0) {
		b.most, b.below = limit, below
	}
}

// String is, for example, an int from 1 to 65535.
func (b bounds) String() string {
	kind := "a number"
	if b.whole {
		kind = "an int"
	}
	least, most := "", ""
	if b.least != nil {
		least = b.least.Text('f', -1)
	}
	if b.most != nil {
		most = b.most.Text('f', -1)
	}
	switch {
	case b.least != nil && b.most != nil && !b.above && !b.below:
		return fmt.Sprintf("%s from %s to %s", kind, least, most)
	case b.most == nil && b.above:
		return fmt.Sprintf("%s above %s", kind, least)
	case b.most == nil:
		return fmt.Sprintf("%s of at least %s", kind, least)
	case b.least == nil && b.below:
		return fmt.Sprintf("%s below %s", kind, most)
	case b.least == nil:
		return fmt.Sprintf("%s of at most %s", kind, most)
	}
	lower, upper := "from "+least, "to "+most
	if b.above {
		lower = "above " + least
	}
	if b.below {
		upper = "below " + most
	}
	return fmt.Sprintf("%s %s and %s", kind, lower, strings.Replace(upper, "to ", "up to ", 1))
}

func parseNumber(text string) *big.Float {
	if text == "" {
		return nil
	}
	number, _, err := big.ParseFloat(text, 10, 128, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return number
}

// spell is the CUE text of an expression, on one line.
func spell(expression ast.Expr) string {
	text, err := format.Node(expression)
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func oneLine(text string) string { return shorten(strings.Join(strings.Fields(text), " ")) }
