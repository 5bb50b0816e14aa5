// Package apply applies YAML to a cluster as `kubectl apply --server-side` does.
package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// interval between two looks at a CRD that was just created.
const interval = 20 * time.Millisecond

// FieldManager owns the fields that are applied here.
const FieldManager = "wheel"

// Decode reads all documents of a YAML or JSON stream, leaving out empty ones.
func Decode(stream io.Reader) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(stream, 4096)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading document %d: %w", len(objects)+1, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// Folder reads every YAML file of a folder that holds Kubernetes objects, CRDs and namespaces first, so that what is
// applied in this order finds what it needs. Kustomizations are for kustomize alone and are left out.
func Folder(folder fs.FS) ([]*unstructured.Unstructured, error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		if file == "kustomization.yaml" {
			continue
		}
		content, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		some, err := Decode(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, some...)
	}
	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	return objects, nil
}

// Path reads a YAML file, or the YAML files of a folder.
func Path(path string) ([]*unstructured.Unstructured, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return Folder(os.DirFS(path))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	objects, err := Decode(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return objects, nil
}

func rank(object *unstructured.Unstructured) int {
	switch object.GetKind() {
	case "CustomResourceDefinition", "Namespace":
		return 0
	case "ServiceAccount", "ClusterRole", "Role":
		return 1
	case "ClusterRoleBinding", "RoleBinding":
		return 2
	}
	return 3
}

// Objects applies the objects in their order. What comes after a CRD may be of its kind: the API server serves it by then, and
// when this returns.
func Objects(ctx context.Context, config *rest.Config, objects []*unstructured.Unstructured) error {
	cluster, err := client.New(config, client.Options{})
	if err != nil {
		return fmt.Errorf("cannot reach the cluster: %w", err)
	}
	var crds []string // those that may not be served yet
	for _, object := range objects {
		isCRD := object.GetKind() == "CustomResourceDefinition"
		if !isCRD {
			if err := awaitServed(ctx, cluster, crds); err != nil {
				return err
			}
			crds = nil
		}
		applied := object.DeepCopy()
		err := cluster.Patch(ctx, applied, client.Apply, client.FieldOwner(FieldManager), client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("applying %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if isCRD {
			crds = append(crds, object.GetName())
		}
	}
	return awaitServed(ctx, cluster, crds)
}

// awaitServed waits until the kinds of these CRDs are served. The API server says so in a condition within milliseconds.
func awaitServed(ctx context.Context, cluster client.Client, names []string) error {
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	for _, name := range names {
		err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
			if err := cluster.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil {
				return false, err
			}
			return established(crd), nil
		})
		if err != nil {
			return fmt.Errorf("waiting for CRD %s to be served: %w", name, err)
		}
	}
	return nil
}

func established(crd *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	for _, c := range conditions {
		condition, ok := c.(map[string]any)
		if ok && condition["type"] == "Established" && condition["status"] == "True" {
			return true
		}
	}
	return false
}
