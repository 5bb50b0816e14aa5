package apply

import (
	"errors"
	"strings"
	"testing"
)

func TestPolicyOf(t *testing.T) {
	const strategy, ownership = "component.oam.dev/apply-strategy", "component.oam.dev/ownership"
	const collection, recreate = "component.oam.dev/gc-strategy", "core.wheelwright.dev/recreate-on-immutable"
	cases := map[string]struct {
		annotations map[string]string
		want        Policy
		refused     string
	}{
		"nothing said":       {nil, Policy{}, ""},
		"the defaults":       {map[string]string{strategy: "always", collection: "delete", recreate: "false"}, Policy{}, ""},
		"applied once":       {map[string]string{strategy: "once"}, Policy{Once: true}, ""},
		"everything at once": {map[string]string{strategy: "once", ownership: "shared", collection: "retain", recreate: "true"}, Policy{Once: true, Ownership: "shared", Retain: true, Recreate: true}, ""},
		"unknown strategy":   {map[string]string{strategy: "twice"}, Policy{}, `component.oam.dev/apply-strategy: "twice", which must be one of always, once`},
		"unknown ownership":  {map[string]string{ownership: "mine"}, Policy{}, `one of take-over, read-only, shared`},
		"unknown collection": {map[string]string{collection: ""}, Policy{}, `one of delete, retain`},
		"no truth value":     {map[string]string{recreate: "yes"}, Policy{}, `one of true, false`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := policyOf(tc.annotations)
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			var refused *PolicyError
			switch {
			case tc.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.refused != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), tc.refused)):
				t.Errorf("got error %v, want one with %q", err, tc.refused)
			}
		})
	}
}
