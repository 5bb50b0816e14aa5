package apply

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/shared/cue"
)

// Object is one object as it should be on the cluster, complete with its namespace.
type Object struct {
	Output cue.Output
	Key    object.Key
	// Hash of the object's content.
	Hash string
	// Policy is what the object's annotations say.
	Policy Policy
	// Applied: it is to be applied once, and has been.
	Applied bool
}

// Resolve completes rendered outputs by what only the cluster knows: which kinds are namespaced, where a missing namespace
// means the Component's own. An object of a kind that the cluster does not serve is a Failure, and so is one that turns out to
// be another output's, and one whose annotations are a *PolicyError; the others are resolved.
func Resolve(mapper meta.RESTMapper, outputs []cue.Output, namespace string) ([]Object, []Failure) {
	var objects []Object
	var failures []Failure
	renderedBy := map[object.Key]string{}
	for _, output := range outputs {
		resolved, err := resolve(mapper, output, namespace)
		if first, taken := renderedBy[resolved.Key]; err == nil && taken {
			err = fmt.Errorf("is rendered by the outputs %s and %s: give one of them another name", first, output.Name)
		}
		if err != nil {
			failures = append(failures, Failure{Key: object.KeyOf(output.Object), Err: err})
			continue
		}
		renderedBy[resolved.Key] = output.Name
		objects = append(objects, resolved)
	}
	return objects, failures
}

func resolve(mapper meta.RESTMapper, output cue.Output, namespace string) (Object, error) {
	kind := output.Object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return Object{}, fmt.Errorf("the cluster serves no kind %s in %s: install its CustomResourceDefinition", kind.Kind, kind.GroupVersion())
	}
	if err != nil {
		return Object{}, fmt.Errorf("asking the cluster for kind %s: %w", kind, err)
	}
	switch namespaced := mapping.Scope.Name() == meta.RESTScopeNameNamespace; {
	case namespaced && output.Object.GetNamespace() == "":
		output.Object.SetNamespace(namespace)
	case !namespaced:
		output.Object.SetNamespace("")
	}
	policy, err := policyOf(output.Object.GetAnnotations())
	if err != nil {
		return Object{}, err
	}
	hash, err := object.Hash(output.Object)
	if err != nil {
		return Object{}, err
	}
	return Object{Output: output, Key: object.KeyOf(output.Object), Hash: hash, Policy: policy}, nil
}
