package apply

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestImmutable(t *testing.T) {
	refused := func(causes ...*field.Error) error {
		return fmt.Errorf("applying: %w", apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "x", causes))
	}
	path := field.NewPath("spec", "selector")
	cases := map[string]struct {
		err  error
		want []string
	}{
		"no failure":                        {nil, nil},
		"another failure":                   {errors.New("the field is immutable"), nil},
		"a value that is wrong":             {refused(field.Invalid(path, "p4ss", "must be a label")), nil},
		"an immutable field":                {refused(field.Invalid(path, "p4ss", "field is immutable")), []string{"spec.selector"}},
		"one that may not change":           {refused(field.Invalid(path, "p4ss", "may not change once set")), []string{"spec.selector"}},
		"one field refused twice":           {refused(field.Invalid(path, "a", "field is immutable"), field.Invalid(path, "b", "field is immutable")), []string{"spec.selector"}},
		"a wrong value beside it":           {refused(field.Required(field.NewPath("type"), ""), field.Invalid(path, "a", "field is immutable")), []string{"spec.selector"}},
		"a spec of which most is immutable": {refused(field.Forbidden(field.NewPath("spec"), "updates to it are forbidden")), []string{"spec (Forbidden: updates to it are forbidden)"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := immutable(tc.err)
			if (got == nil) != (tc.want == nil) {
				t.Fatalf("got %v, want %v", got, tc.want)
			}
			if got == nil {
				return
			}
			if strings.Join(got.Fields, "|") != strings.Join(tc.want, "|") {
				t.Errorf("got fields %v, want %v", got.Fields, tc.want)
			}
			if strings.Contains(got.Error(), "p4ss") {
				t.Errorf("the message repeats the value: %v", got)
			}
		})
	}
}
