package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldManager is whose fields those of migrated CRDs are.
const FieldManager = "wheelwright-helm"

// establishInterval is how often a CRD is looked at. API servers take milliseconds to serve one.
const establishInterval = 100 * time.Millisecond

// migrate applies the CRDs of the chart that the Component moves to. Helm installs those of a chart's crds folder once and
// never changes them again, so the objects of a new API line would be refused. Nothing is removed, and no object is rewritten:
// the API server itself refuses a CRD without a version that objects are still stored in.
func (o *operation) migrate() (map[string]any, error) {
	names := []any{}
	returns := func() map[string]any {
		return map[string]any{"fromVersion": o.parameters.FromVersion, "toVersion": o.parameters.ToVersion, "crds": names}
	}
	if o.parameters.FromVersion == o.parameters.ToVersion {
		return returns(), nil
	}
	source, err := o.helm.newSource(o.ctx, o.request, o.parameters.chartReference)
	if err != nil {
		return nil, err
	}
	loaded, err := source.chart(o.ctx)
	if err != nil {
		return nil, err
	}
	crds, err := crdsOf(loaded)
	if err != nil {
		return nil, err
	}
	cluster, err := client.New(rest.CopyConfig(o.request.Config), client.Options{})
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	for _, crd := range crds {
		if err := cluster.Patch(o.ctx, crd, client.Apply, client.FieldOwner(FieldManager), client.ForceOwnership); err != nil {
			return nil, fmt.Errorf("applying CustomResourceDefinition %s: %w", crd.GetName(), err)
		}
		names = append(names, crd.GetName())
	}
	for _, crd := range crds {
		if err := o.awaitEstablished(cluster, crd.GetName()); err != nil {
			return nil, err
		}
	}
	return returns(), nil
}

// crdsOf are the CRDs of a chart and of the charts in it. Anything else in their folder is refused, as it would be applied
// without being part of the release.
func crdsOf(loaded *chart.Chart) ([]*unstructured.Unstructured, error) {
	var crds []*unstructured.Unstructured
	for _, file := range loaded.CRDObjects() {
		decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(file.File.Data), 4096)
		for {
			object := &unstructured.Unstructured{}
			err := decoder.Decode(&object.Object)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, refused("%s of chart %s is no YAML: %w", file.Filename, loaded.Name(), err)
			}
			if len(object.Object) == 0 {
				continue
			}
			if kind := object.GetKind(); kind != "CustomResourceDefinition" {
				return nil, refused("%s of chart %s holds a %s: only CustomResourceDefinitions can be migrated",
					file.Filename, loaded.Name(), kind)
			}
			crds = append(crds, object)
		}
	}
	return crds, nil
}

func (o *operation) awaitEstablished(cluster client.Client, name string) error {
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	poll := func(ctx context.Context) (bool, error) {
		if err := cluster.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil {
			return false, err
		}
		return established(crd), nil
	}
	if err := wait.PollUntilContextTimeout(o.ctx, establishInterval, o.parameters.timeout, true, poll); err != nil {
		return fmt.Errorf("CustomResourceDefinition %s is not served: %w", name, err)
	}
	return nil
}

func established(crd *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, ok := entry.(map[string]any)
		if ok && condition["type"] == string(apiextensionsv1.Established) && condition["status"] == "True" {
			return true
		}
	}
	return false
}
