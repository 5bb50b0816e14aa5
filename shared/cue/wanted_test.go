package cue

import (
	"testing"

	"cuelang.org/go/cue/cuecontext"
)

func TestWantedValue(t *testing.T) {
	for constraint, want := range map[string]string{
		`int & >=1 & <=65535`:         `an int from 1 to 65535`,
		`*80 | (int & >=1 & <=65535)`: `an int from 1 to 65535, default 80`,
		`uint16`:                      `an int from 0 to 65535`,
		`int & >=0`:                   `an int of at least 0`,
		`int & <=5`:                   `an int of at most 5`,
		`int & >0 & <10`:              `an int above 0 and below 10`,
		`number & >=0.5 & <=1`:        `a number from 0.5 to 1`,
		`>=1 & <5`:                    `a number from 1 and below 5`,
		`(int & >=1 & <=9) | "auto"`:  `an int from 1 to 9 or "auto"`,
		`*"a" | "b"`:                  `*"a" | "b"`,
		`=~"^a"`:                      `=~"^a"`,
		`string`:                      `string`,
	} {
		if got := wantedValue(cuecontext.New().CompileString(constraint)); got != want {
			t.Errorf("%s: got %s, want %s", constraint, got, want)
		}
	}
}
