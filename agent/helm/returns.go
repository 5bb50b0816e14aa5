package helm

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

const (
	maxNotes = 4 << 10
	// maxResources bounds the list of objects, in bytes, so that all of a step's returns fit into a Component's status.
	maxResources = 48 << 10
)

// returns is what later steps read, made from the record alone: a step that finds its revision done returns the same.
func (o *operation) returns(record *release.Release) (map[string]any, error) {
	resources, omitted, err := o.resources(record.Manifest)
	if err != nil {
		return nil, fmt.Errorf("reading the objects of release %s: %w", o.name(), err)
	}
	notes := record.Info.Notes
	if len(notes) > maxNotes {
		notes = strings.ToValidUTF8(notes[:maxNotes], "")
	}
	return map[string]any{
		"releaseName": record.Name, "namespace": record.Namespace, "revision": record.Version,
		"status": record.Info.Status.String(), "notes": notes,
		"chart": record.Chart.Metadata.Name, "chartVersion": record.Chart.Metadata.Version,
		"appVersion": record.Chart.Metadata.AppVersion,
		"resources":  resources, "resourcesOmitted": omitted,
	}, nil
}

// resources are the objects of a manifest in their order, and how many of them found no room.
func (o *operation) resources(manifest string) (list []any, omitted int, err error) {
	mapper, err := o.config.RESTClientGetter.ToRESTMapper()
	if err != nil {
		return nil, 0, err
	}
	documents := releaseutil.SplitManifests(manifest)
	names := make([]string, 0, len(documents))
	for name := range documents {
		names = append(names, name)
	}
	sort.Sort(releaseutil.BySplitManifestsOrder(names))
	size := 0
	list = []any{}
	for _, name := range names {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(documents[name]), &object.Object); err != nil {
			return nil, 0, err
		}
		if object.GetKind() == "" {
			continue
		}
		entry := map[string]any{
			"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(),
			"namespace": o.namespaceOf(mapper, object), "name": object.GetName(),
		}
		encoded, err := json.Marshal(entry)
		if err != nil {
			return nil, 0, err
		}
		if size += len(encoded); size > maxResources {
			omitted++
			continue
		}
		list = append(list, entry)
	}
	return list, omitted, nil
}

// namespaceOf is empty for what lives in none. What the cluster does not know is taken for what lives in one.
func (o *operation) namespaceOf(mapper meta.RESTMapper, object *unstructured.Unstructured) string {
	kind := schema.FromAPIVersionAndKind(object.GetAPIVersion(), object.GetKind())
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err == nil && mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return ""
	}
	if object.GetNamespace() == "" {
		return o.request.Identity.Component.Namespace
	}
	return object.GetNamespace()
}
