package definition

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

var (
	linePattern = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
	// lineSuffix is how ObjectName puts an API line behind a name.
	lineSuffix = regexp.MustCompile(`-(v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)$`)
)

// Reference is how a component names its definition: by name, or by API line and name (KEP-2.20).
type Reference struct {
	// Line is the API line, or empty.
	Line string
	// Name of the definition.
	Name string
}

// ParseReference reads a component's type, "webservice" or "v1/webservice". An error says what a type looks like.
func ParseReference(typ string) (Reference, error) {
	line, name, found := strings.Cut(typ, "/")
	if !found {
		line, name = "", typ
	}
	reference := Reference{Line: line, Name: name}
	if found && !linePattern.MatchString(line) || !isObjectName(name) || !isObjectName(reference.ObjectName()) {
		return Reference{}, fmt.Errorf(
			"type %q names no definition: write the name of a ComponentDefinition, such as webservice, or its API line and name, such as v1/webservice", typ)
	}
	return reference, nil
}

func isObjectName(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

// ObjectName is the name of the ComponentDefinition object: a definition that is installed once per API line has the line
// behind its name, so that v1/webservice is the object webservice-v1.
func (r Reference) ObjectName() string {
	if r.Line == "" {
		return r.Name
	}
	return r.Name + "-" + r.Line
}

// String is the reference as a component's type spells it.
func (r Reference) String() string {
	if r.Line == "" {
		return r.Name
	}
	return r.Line + "/" + r.Name
}

// lineInName is the API line that ObjectName put behind a name, or DefaultAPIVersion where there is none.
func lineInName(object string) string {
	if found := lineSuffix.FindStringSubmatch(object); found != nil {
		return found[1]
	}
	return DefaultAPIVersion
}
