package definitions

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Keys of KubeVela's annotations and labels that stand under names of their own in a header.
const (
	descriptionAnnotation = "definition.oam.dev/description"
	aliasAnnotation       = "definition.oam.dev/alias"
	userPrefix            = "custom.definition.oam.dev/"
)

// foreignPrefixes start the keys of annotations and labels that others put there to manage the object.
var foreignPrefixes = []string{"kubectl.kubernetes.io/", "meta.helm.sh/", "helm.sh/", "app.kubernetes.io/"}

// headerOf is the header of a definition in KubeVela's own form: `"name": {type: "component", ...}`. Attributes are all of
// the spec but the template.
func headerOf(object *unstructured.Unstructured, typ string) *ast.Field {
	annotations := object.GetAnnotations()
	fields := []ast.Decl{fieldOf("type", typ)}
	for _, own := range []struct{ name, key string }{{"alias", aliasAnnotation}, {"description", descriptionAnnotation}} {
		if text := annotations[own.key]; text != "" {
			fields = append(fields, fieldOf(own.name, text))
		}
		delete(annotations, own.key)
	}
	if own := ownKeys(annotations); len(own) > 0 {
		fields = append(fields, fieldOf("annotations", own))
	}
	if own := ownKeys(object.GetLabels()); len(own) > 0 {
		fields = append(fields, fieldOf("labels", own))
	}
	attributes, _, _ := unstructured.NestedMap(object.Object, "spec")
	delete(attributes, "schematic")
	fields = append(fields, fieldOf("attributes", attributes))
	return &ast.Field{Label: ast.NewString(object.GetName()), Value: structOf(fields)}
}

// ownKeys are the annotations or labels that the definition's author wrote, named as there.
func ownKeys(values map[string]string) map[string]any {
	own := map[string]any{}
	for key, value := range values {
		if !slices.ContainsFunc(foreignPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			own[strings.TrimPrefix(key, userPrefix)] = value
		}
	}
	return own
}
