package conformance

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	workv1 "open-cluster-management.io/api/work/v1"
)

func scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		authorizationv1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, rbacv1.AddToScheme, apiextensionsv1.AddToScheme, workv1.Install,
	} {
		utilruntime.Must(add(scheme))
	}
	return scheme
}

// object is a manifest, or an object of the spoke.
type object = *unstructured.Unstructured

// manifestWork describes a ManifestWork to be made.
type manifestWork struct {
	name         string
	labels       map[string]string
	annotations  map[string]string
	manifests    []object
	configs      []config
	deleteOption *workv1.DeleteOption
	executor     *workv1.ManifestWorkExecutor
}

// config is a manifest config, with the scrape type that the Go types do not have yet.
type config struct {
	ResourceIdentifier workv1.ResourceIdentifier `json:"resourceIdentifier"`
	FeedbackRules      []workv1.FeedbackRule     `json:"feedbackRules,omitempty"`
	UpdateStrategy     *workv1.UpdateStrategy    `json:"updateStrategy,omitempty"`
	FeedbackScrapeType string                    `json:"feedbackScrapeType,omitempty"`
}

// spec is the work's spec, as JSON knows it.
func (w manifestWork) spec() map[string]any {
	manifests := []any{}
	for _, manifest := range w.manifests {
		manifests = append(manifests, manifest.Object)
	}
	spec := map[string]any{"workload": map[string]any{"manifests": manifests}}
	if w.configs != nil {
		spec["manifestConfigs"] = toJSON(w.configs)
	}
	if w.deleteOption != nil {
		spec["deleteOption"] = toJSON(w.deleteOption)
	}
	if w.executor != nil {
		spec["executor"] = toJSON(w.executor)
	}
	return spec
}

func newObject(apiVersion, kind, namespace, name string, fields map[string]any) object {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	maps.Copy(u.Object, fields)
	u.SetName(name)
	if namespace != "" {
		u.SetNamespace(namespace)
	}
	return u
}

func (r *row) configMap(name, value string) object {
	return newObject("v1", "ConfigMap", r.namespace, name, map[string]any{"data": map[string]any{"key": value}})
}

func (r *row) gadget(name string, spec map[string]any) object {
	return newObject(testGroup+"/v1", "Gadget", r.namespace, name, map[string]any{"spec": spec})
}

// vault is of a kind that the agent may not even read.
func (r *row) vault(name string) object {
	return newObject("forbidden.wheelwright.dev/v1", "Vault", r.namespace, name, nil)
}

// gizmo is cluster-scoped, so its name carries the row's.
func (r *row) gizmo() object {
	return newObject(testGroup+"/v1", "Gizmo", "", r.namespace, map[string]any{"spec": map[string]any{}})
}

func (r *row) deployment(name string) object {
	labels := map[string]any{"app": name}
	return newObject("apps/v1", "Deployment", r.namespace, name, map[string]any{"spec": map[string]any{
		"replicas": int64(1),
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": "example.com/none"}}},
		},
	}})
}

func (r *row) serviceAccount(name string) object {
	return newObject("v1", "ServiceAccount", r.namespace, name, nil)
}

// resources maps the kinds that configs are for to their plural names.
var resources = map[string]string{
	"ConfigMap":      "configmaps",
	"Gadget":         "gadgets",
	"Gizmo":          "gizmos",
	"Deployment":     "deployments",
	"ServiceAccount": "serviceaccounts",
	"Vault":          "vaults",
}

func identifierOf(o object) workv1.ResourceIdentifier {
	return workv1.ResourceIdentifier{
		Group:     o.GroupVersionKind().Group,
		Resource:  resources[o.GetKind()],
		Namespace: o.GetNamespace(),
		Name:      o.GetName(),
	}
}

// feedback asks for values of the object by name and path.
func feedback(o object, paths map[string]string) config {
	var rule workv1.FeedbackRule
	rule.Type = workv1.JSONPathsType
	for name, path := range paths {
		rule.JsonPaths = append(rule.JsonPaths, workv1.JsonPath{Name: name, Path: path})
	}
	return config{ResourceIdentifier: identifierOf(o), FeedbackRules: []workv1.FeedbackRule{rule}, FeedbackScrapeType: "Poll"}
}

// healthOf is the one boolean that Wheelwright asks for.
func healthOf(o object) config {
	return feedback(o, map[string]string{"isHealthy": ".status.isHealthy"})
}

func (c config) watched() config {
	c.FeedbackScrapeType = "Watch"
	return c
}

func (c config) with(strategy workv1.UpdateStrategyType) config {
	c.UpdateStrategy = &workv1.UpdateStrategy{Type: strategy}
	return c
}

// serverSide applies the object server-side as that field manager.
func serverSide(o object, manager string, force bool) config {
	return config{ResourceIdentifier: identifierOf(o), UpdateStrategy: &workv1.UpdateStrategy{
		Type:            workv1.UpdateStrategyTypeServerSideApply,
		ServerSideApply: &workv1.ServerSideApplyConfig{FieldManager: manager, Force: force},
	}}
}
