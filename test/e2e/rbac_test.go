package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/fleet"
)

// The pods run with their own ServiceAccounts' rights and no others: what the manifests do not grant is refused, so a verb
// that is missing there fails this whole suite.
func TestPodsHaveTheRightsThatAreDelivered(t *testing.T) {
	cases := map[string]struct {
		cluster, account      string
		verb, group, resource string
		allowed               bool
	}{
		"HubWritesWorks":            {"hub", fleet.HubDeployment, "patch", "work.open-cluster-management.io", "manifestworks", true},
		"HubUpdatesNoWorks":         {"hub", fleet.HubDeployment, "update", "work.open-cluster-management.io", "manifestworks", false},
		"HubReadsNoSecrets":         {"hub", fleet.HubDeployment, "list", "", "secrets", false},
		"HubWritesNoDefinitions":    {"hub", fleet.HubDeployment, "patch", "core.wheelwright.dev", "componentdefinitions", false},
		"HubReadsSteps":             {"hub", fleet.HubDeployment, "watch", "core.wheelwright.dev", "workflowstepdefinitions", true},
		"AgentReadsSteps":           {"dev-eu", fleet.AgentDeployment, "watch", "core.wheelwright.dev", "workflowstepdefinitions", true},
		"HubDeletesNoApplications":  {"hub", fleet.HubDeployment, "delete", "core.wheelwright.dev", "applications", false},
		"AgentWritesHealth":         {"dev-eu", fleet.AgentDeployment, "patch", "core.wheelwright.dev", "components/status", true},
		"AgentRunsJobs":             {"dev-eu", fleet.AgentDeployment, "create", "batch", "jobs", true},
		"AgentAppliesDeployments":   {"dev-eu", fleet.AgentDeployment, "patch", "apps", "deployments", true},
		"AgentComposesComponents":   {"dev-eu", fleet.AgentDeployment, "create", "core.wheelwright.dev", "components", true},
		"AgentTouchesNoWorkRecords": {"dev-eu", fleet.AgentDeployment, "delete", "work.open-cluster-management.io", "appliedmanifestworks", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubeconfig")
			plane := shared.fleet.ControlPlane(c.cluster)
			if err := plane.TokenKubeconfig(t.Context(), fleet.Namespace, c.account, path); err != nil {
				t.Fatal(err)
			}
			config, err := clientcmd.BuildConfigFromFlags("", path)
			if err != nil {
				t.Fatal(err)
			}
			account, err := client.New(config, client.Options{Scheme: shared.hubClient.Scheme()})
			if err != nil {
				t.Fatal(err)
			}
			resource, subresource, _ := strings.Cut(c.resource, "/")
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: "default", Verb: c.verb, Group: c.group, Resource: resource, Subresource: subresource,
				}}}
			if err := account.Create(t.Context(), review); err != nil {
				t.Fatal(err)
			}
			if review.Status.Allowed != c.allowed {
				t.Errorf("%s may %s %s: %v, want %v", c.account, c.verb, c.resource, review.Status.Allowed, c.allowed)
			}
		})
	}
}
