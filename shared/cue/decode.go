package cue

import (
	"encoding/base64"
	"fmt"
	"math/big"

	"cuelang.org/go/cue"
)

// decoder turns concrete CUE values into what Kubernetes objects are made of: maps, lists, strings, booleans, int64 and
// float64. An integer is never passed through a float; one that int64 cannot hold is a problem.
type decoder struct {
	problems []Problem
}

func (d *decoder) value(value cue.Value) any {
	value, _ = value.Default()
	switch value.Kind() {
	case cue.NullKind:
		return nil
	case cue.BoolKind:
		return check(d, value, value.Bool)
	case cue.StringKind:
		return check(d, value, value.String)
	case cue.BytesKind:
		return base64.StdEncoding.EncodeToString(check(d, value, value.Bytes))
	case cue.IntKind:
		return d.integer(value)
	case cue.FloatKind:
		return check(d, value, value.Float64)
	case cue.ListKind:
		return d.list(value)
	case cue.StructKind:
		return d.object(value)
	}
	d.report(value, fmt.Sprintf("incomplete value %v", value))
	return nil
}

func (d *decoder) integer(value cue.Value) any {
	var exact big.Int
	if _, err := value.Int(&exact); err != nil {
		d.report(value, err.Error())
		return nil
	}
	if !exact.IsInt64() {
		d.report(value, fmt.Sprintf(
			"integer %s does not fit into the 64 bits that Kubernetes gives it: write a string where the field takes one", &exact))
		return nil
	}
	return exact.Int64()
}

func (d *decoder) list(value cue.Value) any {
	items, err := value.List()
	if err != nil {
		d.report(value, err.Error())
		return nil
	}
	list := []any{}
	for items.Next() {
		list = append(list, d.value(items.Value()))
	}
	return list
}

func (d *decoder) object(value cue.Value) any {
	fields, err := value.Fields()
	if err != nil {
		d.report(value, err.Error())
		return nil
	}
	object := map[string]any{}
	for fields.Next() {
		object[fields.Selector().Unquoted()] = d.value(fields.Value())
	}
	return object
}

func (d *decoder) report(value cue.Value, message string) {
	d.problems = append(d.problems, problemAt(value, message))
}

// check reports the error that get ends with, which a value of the right kind does not give.
func check[T any](d *decoder, value cue.Value, get func() (T, error)) T {
	got, err := get()
	if err != nil {
		d.report(value, err.Error())
	}
	return got
}

// problemAt is a problem with value, at its place.
func problemAt(value cue.Value, message string) Problem {
	return Problem{Position: formatPosition(value.Pos()), Path: pathOf(value), Message: message}
}

func pathOf(value cue.Value) string {
	var segments []string
	for _, selector := range value.Path().Selectors() {
		segments = append(segments, selector.String())
	}
	return formatPath(segments)
}
