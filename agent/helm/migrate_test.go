package helm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/helm"
)

// crd is a chart's CRD that has these versions.
func crd(group string, versions ...string) *chart.File {
	text := fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.%[1]s}
spec:
  group: %[1]s
  names: {kind: Cart, plural: carts}
  scope: Namespaced
  versions:
`, group)
	for i, version := range versions {
		text += fmt.Sprintf("  - {name: %s, served: true, storage: %v, schema: {openAPIV3Schema: {type: object}}}\n",
			version, i == len(versions)-1)
	}
	return &chart.File{Name: "crds/cart.yaml", Data: []byte(text)}
}

// versions are those that the cluster serves.
func (s *spoke) versions(group string) string {
	s.t.Helper()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	if err := spokeClient.Get(s.t.Context(), client.ObjectKey{Name: "carts." + group}, found); err != nil {
		s.t.Fatal(err)
	}
	list, _, err := unstructured.NestedSlice(found.Object, "spec", "versions")
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, version := range list {
		names = append(names, version.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

func (s *spoke) group() string {
	group := s.component.Namespace + ".example.com"
	s.t.Cleanup(func() {
		gone := &unstructured.Unstructured{}
		gone.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		gone.SetName("carts." + group)
		_ = spokeClient.Delete(context.Background(), gone)
	})
	return group
}

func TestMigratingTheSchemaAppliesTheCRDsThatHelmWouldNot(t *testing.T) {
	s := newSpoke(t)
	group := s.group()
	cart := &chart.File{Name: "templates/cart.yaml", Data: fmt.Appendf(nil,
		"apiVersion: %s/v{{ .Chart.AppVersion }}\nkind: Cart\nmetadata:\n  name: {{ .Release.Name }}\n", group)}
	first, second := newChart("1.0.0", crd(group, "v1"), cart), newChart("2.0.0", crd(group, "v1", "v2"), cart)
	first.Metadata.AppVersion, second.Metadata.AppVersion = "1", "2"
	s.must(helm.Install, "create", map[string]any{"chart": s.save(first)})

	upgrade := map[string]any{"chart": s.save(second)}
	if _, err := s.finish(helm.Upgrade, "too early", upgrade); err == nil || s.versions(group) != "v1" {
		t.Fatalf("Helm itself upgrades the CRD, to %s: %v", s.versions(group), err)
	}
	migrate := map[string]any{
		"fromVersion": "v1", "toVersion": "v2", "fromParams": map[string]any{"chart": s.save(first)},
		"toParams": map[string]any{"chart": s.save(second), "size": int64(3)},
	}
	returns := s.must(helm.MigrateSchema, "migrate", migrate)
	if want := fmt.Sprintf("map[crds:[carts.%s] fromVersion:v1 toVersion:v2]", group); fmt.Sprint(returns) != want {
		t.Errorf("it returns %v, want %s", returns, want)
	}
	if got := s.versions(group); got != "v1 v2" {
		t.Errorf("the cluster serves %s", got)
	}
	s.must(helm.MigrateSchema, "migrate", migrate) // asked again, after an agent was killed
	s.must(helm.Upgrade, "upgrade", upgrade)
	s.must(helm.Uninstall, "delete", nil)
}

func TestMigratingTheSchemaDoesNothingThatIsNotAskedFor(t *testing.T) {
	s := newSpoke(t)
	same := map[string]any{"fromVersion": "v1", "toVersion": "v1", "fromParams": map[string]any{}, "toParams": map[string]any{}}
	if returns := s.must(helm.MigrateSchema, "same", same); len(returns["crds"].([]any)) > 0 {
		t.Errorf("it returns %v", returns)
	}
	s.refuses(helm.MigrateSchema, "no chart", map[string]any{"fromVersion": "v1", "toVersion": "v2"}, "names no chart")
	secret := &chart.File{Name: "crds/secret.yaml", Data: []byte("apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\n")}
	smuggled := newChart("3.0.0", secret)
	s.refuses(helm.MigrateSchema, "no CRD", map[string]any{"fromVersion": "v1", "toVersion": "v2", "chart": s.save(smuggled)},
		"holds a Secret")
}

func TestHelmHasTheRightsOfTheWorkflowAndNoMore(t *testing.T) {
	s := newSpoke(t)
	namespace := s.component.Namespace
	for _, object := range []client.Object{
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "helm"}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps"}, Verbs: []string{"*"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "helm"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "helm"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "weak"}},
		},
	} {
		if err := spokeClient.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	weak := rest.CopyConfig(spokeConfig)
	weak.Impersonate.UserName = "weak"
	s.config = weak
	s.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	for name, template := range map[string]string{
		"makes":    "apiVersion: v1\nkind: Service\nmetadata:\n  name: x\nspec:\n  ports: [{port: 80}]\n",
		"looks up": `{{ lookup "v1" "Namespace" "" "kube-system" }}`,
	} {
		broken := newChart("2.0.0", &chart.File{Name: "templates/more.yaml", Data: []byte(template)})
		_, err := s.finish(helm.Upgrade, name, map[string]any{"chart": s.save(broken)})
		if err == nil || !strings.Contains(err.Error(), "forbidden") {
			t.Errorf("a chart that %s what its Component may not gives %v", name, err)
		}
	}
}
