package agent_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/repo"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/agent/helm"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
)

// chartRepository serves a chart at two versions, as helm package and helm repo index make it.
func chartRepository(t *testing.T, path string, versions ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, version := range versions {
		made, err := loader.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		made.Metadata.Version = version
		if _, err := chartutil.Save(made, dir); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	index, err := repo.IndexDirectory(dir, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := index.WriteFile(filepath.Join(dir, "index.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL
}

// installSteps gives the cluster the step definitions that ship with the agent.
func (s *spoke) installSteps() {
	s.t.Helper()
	content, err := os.ReadFile("../manifests/agent/steps.yaml")
	s.must(err)
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for range strings.Count(string(content), "kind: WorkflowStepDefinition") {
		step := &corev1alpha1.WorkflowStepDefinition{}
		s.must(decoder.Decode(step))
		s.create(step)
		s.t.Cleanup(func() { s.must(s.client.Delete(context.Background(), step)) })
	}
}

// releases are the revisions that Helm keeps of a release.
func (s *spoke) releases(name string) []string {
	s.t.Helper()
	secrets := &corev1.SecretList{}
	s.must(s.client.List(context.Background(), secrets, client.InNamespace(s.ns), client.MatchingLabels{"owner": "helm", "name": name}))
	var revisions []string
	for _, secret := range secrets.Items {
		revisions = append(revisions, secret.Labels["version"]+" "+secret.Labels["status"])
	}
	return revisions
}

// TestTheHelmChartExample runs what examples/helm-chart says of itself, as a person applies it: with an account of its own.
func TestTheHelmChartExample(t *testing.T) {
	url := chartRepository(t, "../examples/helm-chart/chart", "1.0.0", "1.1.0")
	s := newSpokeWith(t, agent.Options{Helm: helm.Options{PlainHTTPHosts: []string{strings.TrimPrefix(url, "http://")}}})
	s.revoke()
	s.installSteps()
	def, err := definition.FromDirectory(os.DirFS("../examples/helm-chart/definitions/component"), "helm-chart")
	if err != nil {
		t.Fatal(err)
	}
	s.account("deployer", "configmaps", "services", "secrets")
	s.allowIn("apps", "deployer", "deployments")
	properties := func(version, page string) string {
		return `{"chart":"hello","repository":"` + url + `","version":"` + version + `","values":{"replicas":1,"page":"` + page + `"}}`
	}
	component := s.component("hello", "", def, properties("1.0.0", "one"))
	component.Spec.ServiceAccountName = "deployer"
	s.create(component)
	s.awaitReason("hello", condition.Ready, condition.ReasonReady)
	if got := strings.Join(s.releases("hello"), ", "); got != "1 deployed" {
		t.Errorf("after the install Helm has %q", got)
	}
	if got := s.configData("hello-release")["version"]; got != "1.0.0" {
		t.Errorf("the ConfigMap says version %q", got)
	}

	s.edit("hello", func(component *corev1alpha1.Component) {
		component.Spec.Properties.Raw = []byte(properties("1.1.0", "two"))
	})
	s.eventually("the release is upgraded, once", func() string {
		if got := strings.Join(s.releases("hello"), ", "); got != "1 superseded, 2 deployed" {
			return got
		}
		return ""
	})
	s.awaitReason("hello", condition.Ready, condition.ReasonReady)

	s.must(s.client.Delete(t.Context(), s.get("hello")))
	s.eventually("the Component and its release are gone", func() string {
		left := &corev1alpha1.Component{}
		if err := s.client.Get(t.Context(), client.ObjectKey{Namespace: s.ns, Name: "hello"}, left); !apierrors.IsNotFound(err) {
			return pretty(left.Status)
		}
		return strings.Join(s.releases("hello"), ", ")
	})
	if left := s.object("apps/v1", "Deployment", "hello"); left != nil {
		t.Error("the release's Deployment is left")
	}
}
