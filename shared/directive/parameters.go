package directive

import "errors"

// ResolveParameters puts values in the place of the fromParameter directives in properties, and leaves the others for
// whoever can resolve them. Properties without any stay as they are, byte by byte. The error is an *UnresolvedError.
func ResolveParameters(properties []byte, parameters map[string]any) ([]byte, error) {
	if !hasParameter(properties) {
		return properties, nil
	}
	resolved, err := Resolve(properties, leaving{parameters: parameters})
	if err != nil {
		return nil, err
	}
	return resolved.Properties, nil
}

// errLeave tells the resolver to leave a directive where it is.
var errLeave = errors.New("not to be resolved here")

// leaving is a Lookup of parameters alone.
type leaving struct {
	parameters map[string]any
}

func (l leaving) Parameter(name string) (any, bool, error) {
	value, found := l.parameters[name]
	return value, found, nil
}

func (l leaving) Source(string, string) (map[string]any, bool, error) { return nil, false, errLeave }

func (l leaving) Dependency(string) (map[string]any, bool, error) { return nil, false, errLeave }
