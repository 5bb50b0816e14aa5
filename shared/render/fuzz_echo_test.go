package render

import (
	"encoding/json"
	"math/big"
	"testing"
)

// checkEcho compares what the parameter echo brought with what the object has of it. Nothing may be lost on the way: no key,
// no item, no digit that Kubernetes can hold.
func checkEcho(t *testing.T, properties []byte, rendering *Rendering) {
	t.Helper()
	var given struct {
		Echo json.RawMessage `json:"echo"`
	}
	if len(orEmpty(properties)) == 0 || json.Unmarshal(orEmpty(properties), &given) != nil || given.Echo == nil {
		return
	}
	spec, _ := rendering.Objects[0].Object.Object["spec"].(map[string]any)
	want, got := decode(t, string(given.Echo)), decode(t, encode(t, spec["echo"]))
	if !same(want, got) {
		t.Errorf("properties do not arrive as they were given:\nwant %s\ngot  %s", given.Echo, encode(t, got))
	}
}

// same compares decoded JSON, numbers by their value.
func same(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		fields, ok := got.(map[string]any)
		if !ok || len(fields) != len(want) {
			return false
		}
		for key := range want {
			if below, ok := fields[key]; !ok || !same(want[key], below) {
				return false
			}
		}
		return true
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			return false
		}
		for i := range want {
			if !same(want[i], items[i]) {
				return false
			}
		}
		return true
	case json.Number:
		number, ok := got.(json.Number)
		return ok && sameNumber(want, number)
	}
	return want == got
}

// sameNumber wants integers to be equal, and others as equal as a float can be.
func sameNumber(want, got json.Number) bool {
	if whole, ok := new(big.Int).SetString(want.String(), 10); ok {
		same, isWhole := new(big.Int).SetString(got.String(), 10)
		return isWhole && whole.Cmp(same) == 0
	}
	wanted, err := want.Float64()
	found, errFound := got.Float64()
	return err == nil && errFound == nil && wanted == found
}
