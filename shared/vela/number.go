package vela

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// integerLimit is where KubeVela stops to write a whole number as an integer. A number beyond is a float to it, whatever its
// spelling, and a parameter of type int refuses it.
const integerLimit = 1e21

// canonical is JSON with sorted keys, in which numbers are spelled as KubeVela has them after they went through Go.
func canonical(content []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decoding JSON: %w", err)
	}
	return json.Marshal(respell(value))
}

func respell(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			value[key] = respell(field)
		}
	case []any:
		for i, item := range value {
			value[i] = respell(item)
		}
	case json.Number:
		return json.RawMessage(respellNumber(value.String()))
	}
	return value
}

// respellNumber makes an integer of a whole number such as 8080.0 or 1e3, and a float of one beyond integerLimit. It keeps
// all digits that were given.
func respellNumber(spelled string) string {
	isInteger := !strings.ContainsAny(spelled, ".eE")
	approximate, err := strconv.ParseFloat(spelled, 64)
	switch {
	case err != nil: // beyond a float's range, which the evaluation refuses in words of its own
		return spelled
	case math.Abs(approximate) >= integerLimit:
		if isInteger {
			return spelled + ".0"
		}
		return spelled
	case isInteger || approximate != math.Trunc(approximate):
		return spelled
	case approximate == 0: // or too small to be told from it
		return "0"
	}
	// The precision holds every integer below the limit exactly.
	exact, _, err := big.ParseFloat(spelled, 10, 256, big.ToNearestEven)
	if err != nil || !exact.IsInt() {
		return spelled
	}
	whole, _ := exact.Int(nil)
	return whole.String()
}
