package directive

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/test/fuzzing"
)

// secretValue is what no message may show. No input has it unless its author wrote it.
const secretValue = "s3cret"

// Any properties, at any depth and in any form, over lookups that have much and that have nothing.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"fromParameter":"size"}}`,
		`{"a":{"fromParameter":{"name":"x","default":{"fromParameter":"size"}}}}`,
		`{"a":{"fromSource":{"kind":"Secret","name":"database","path":"password"}},"b":[[{"c":{"fromSource":"secret/database.password"}}]]}`,
		`{"a":[{"fromDependency":"database.deep.port"}],"b":{"fromDependency":{"component":"cache","path":"x","default":null}}}`,
		`{"a":{"fromSource":"configmap/settings.app.conf"},"n":1e400,"m":9007199254740993}`,
		`{"fromSource":{}}`, `{"fromSource":"secret/database.password"}`, `{"fromParameter":"size"}`, `{"a":{"fromSource":"pod/x.y"}}`,
		`{"a":{"fromParameter":"size","other":1},"":{"fromSource":"secret/database.none"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, properties []byte) {
		fuzzing.Within(t, func() {
			given := bytes.Clone(properties)
			for _, lookup := range []shelf{full, {}} {
				checkResolved(t, properties, lookup)
			}
			checkStripped(t, properties)
			checkParameters(t, properties)
			Dependencies(properties)
			if !bytes.Equal(given, properties) {
				t.Error("properties changed in place")
			}
		})
	})
}

func checkResolved(t *testing.T, properties []byte, lookup shelf) {
	t.Helper()
	resolved, err := Resolve(properties, lookup)
	_, again := Resolve(properties, lookup)
	if err != nil {
		checkRefusal(t, err, properties)
		if again == nil || again.Error() != err.Error() {
			t.Errorf("resolved twice: %v, %v", err, again)
		}
		return
	}
	if left := directivesIn(t, resolved.Properties); len(left) > 0 && !wroteOne(properties) {
		t.Errorf("directives are left: %v in %s", left, resolved.Properties)
	}
	if resolved.HasSecrets() {
		checkSecret(t, resolved, properties)
	}
}

// checkRefusal holds an error against what any error has, and shows no Secret.
func checkRefusal(t *testing.T, err error, properties []byte) {
	t.Helper()
	if strings.Contains(err.Error(), secretValue) && !bytes.Contains(properties, []byte(secretValue)) {
		t.Errorf("the message shows a Secret: %v", err)
	}
	unresolved := (*UnresolvedError)(nil)
	if !errors.As(err, &unresolved) {
		fuzzing.Refused(t, err, string(properties))
		return
	}
	for _, one := range unresolved.Unresolved {
		if one.Directive == "" || one.Reason == "" {
			t.Errorf("a directive without a reason: %#v", one)
		}
	}
	fuzzing.Readable(t, err.Error(), string(properties))
}

// checkSecret makes the properties the reason of errors, and looks for the Secret in what is left of these.
func checkSecret(t *testing.T, resolved *Resolved, properties []byte) {
	t.Helper()
	if bytes.Contains(properties, []byte(secretValue)) {
		return // its author shows it
	}
	values := map[string]any{}
	if err := json.Unmarshal(resolved.Properties, &values); err != nil {
		values["whole"] = string(resolved.Properties)
	}
	texts := []string{resolved.Text(string(resolved.Properties))}
	for path := range resolved.secrets {
		err := resolved.Error(&cue.Error{Problems: []cue.Problem{
			{Path: path, Message: `parameter "` + path + `": "` + secretValue + `" is not allowed`},
			{Position: "a.cue:1:2", Path: "outputs[0]", Message: "conflicting values " + string(resolved.Properties)},
			{Path: "other", Message: `"` + secretValue + `" does not go with the other parameters`},
		}})
		texts = append(texts, err.Error())
	}
	shown, err := json.Marshal(resolved.Values(values))
	if err != nil {
		t.Error(err)
	}
	for _, text := range append(texts, string(shown)) {
		if strings.Contains(text, secretValue) {
			t.Errorf("a Secret shows: %s", text)
		}
	}
}

// checkStripped makes sure that what is stripped has no directive, and that what cannot be read is not passed over.
func checkStripped(t *testing.T, properties []byte) {
	t.Helper()
	stripped, open, err := Strip(properties)
	if err != nil {
		checkRefusal(t, err, properties)
		return
	}
	if left := directivesIn(t, stripped); len(left) > 0 {
		t.Errorf("directives are left: %v in %s", left, stripped)
	}
	if again, none, err := Strip(stripped); err != nil || len(none) > 0 || !bytes.Equal(again, stripped) {
		t.Errorf("stripped twice: %s, %q, %v, and %q open at first", again, none, err, open)
	}
}

// checkParameters makes sure that the hub's half of the work and then the spoke's come to what both at once come to.
func checkParameters(t *testing.T, properties []byte) {
	t.Helper()
	whole, errWhole := Resolve(properties, full)
	first, err := ResolveParameters(properties, full.parameters)
	if err != nil {
		if errWhole == nil {
			t.Errorf("the hub refuses what a spoke resolves: %v", err)
		}
		checkRefusal(t, err, properties)
		return
	}
	// A default that is a directive itself is a value to the one, and to be resolved by the other.
	if wroteOne(properties) {
		return
	}
	second, err := Resolve(first, full)
	if (err == nil) != (errWhole == nil) {
		t.Errorf("in two steps: %v; in one: %v", err, errWhole)
	}
	if err == nil && errWhole == nil && !bytes.Equal(second.Properties, whole.Properties) {
		t.Errorf("in two steps: %s; in one: %s", second.Properties, whole.Properties)
	}
}

// wroteOne tells whether a default has a directive in it, which is a value and stays.
func wroteOne(properties []byte) bool { return bytes.Contains(properties, []byte("default")) }

// directivesIn are the directives in JSON, read or not.
func directivesIn(t *testing.T, properties []byte) []string {
	t.Helper()
	if !Has(properties) {
		return nil
	}
	var value any
	if err := json.Unmarshal(properties, &value); err != nil {
		t.Errorf("not JSON: %v", err)
	}
	return directivesBelow(value)
}

func directivesBelow(value any) []string {
	var found []string
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			found = append(found, directivesBelow(item)...)
		}
	case map[string]any:
		for key, field := range value {
			if len(value) == 1 && slices.Contains([]string{fromParameter, fromSource, fromDependency}, key) {
				found = append(found, key)
			}
			found = append(found, directivesBelow(field)...)
		}
	}
	return found
}
