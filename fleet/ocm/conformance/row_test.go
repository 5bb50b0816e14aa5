package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/rbac"
	"wheelwright.dev/wheelwright/fleet/ocm/work"
)

// hour is an interval that no row waits for: what is seen sooner was not polled.
const hour = time.Hour

// row is one row of the table under way: where it makes its works and its objects.
type row struct {
	*testing.T

	hub       *cluster
	cluster   string // namespace of the works
	namespace string // of the objects on the spoke
	hubURL    string
	agentID   string
	agent     agent
	options   agentOptions
}

// polled runs a row by an agent that reads all objects each second or two.
func polled(t *testing.T) *row {
	t.Helper()
	return sharing(t, &polling)
}

// unpolled runs a row by an agent that never reads an object again unless something happens.
func unpolled(t *testing.T) *row {
	t.Helper()
	return sharing(t, &still)
}

// alone runs a row by an agent of its own, which is not started yet.
func alone(t *testing.T, options agentOptions) *row {
	t.Helper()
	t.Parallel()
	r := newRow(t)
	r.cluster = r.namespace
	r.options = options
	r.agentID = "agent-" + r.namespace
	r.options.statusInterval = orElse(options.statusInterval, time.Second)
	r.options.evictionGrace = orElse(options.evictionGrace, hour)
	dir, err := os.MkdirTemp("", "agent-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r.options.spokeKubeconfig = r.spokeKubeconfig(dir)
	r.use(hub)
	t.Cleanup(r.stopAgent)
	return r
}

// use makes a hub the row's: its works are made there, and an agent started from now on is
// connected to it.
func (r *row) use(hub *cluster) {
	r.Helper()
	r.hub = hub
	r.hubURL = hub.RESTConfig().Host
	if err := rbac.InstallHub(r.Context(), hub.RESTConfig(), r.cluster); err != nil {
		r.Fatal(err)
	}
	r.options.hubKubeconfig = filepath.Join(filepath.Dir(r.options.spokeKubeconfig), hub.Name()+".kubeconfig")
	err := hub.TokenKubeconfig(r.Context(), r.cluster, rbac.HubServiceAccount, r.options.hubKubeconfig)
	if err != nil {
		r.Fatal(err)
	}
}

func (r *row) startAgent() {
	r.Helper()
	r.options.cluster, r.options.agentID = r.cluster, r.agentID
	running, err := startAgent(r.options)
	if err != nil {
		r.Fatal(err)
	}
	r.agent = running
}

// stopAgent ends the row's agent as a crash does.
func (r *row) stopAgent() {
	if r.agent != nil {
		mustStop(r.T, r.agent)
		r.agent = nil
	}
}

func (r *row) spokeKubeconfig(dir string) string {
	r.Helper()
	path := filepath.Join(dir, "spoke.kubeconfig")
	if err := spoke.TokenKubeconfig(r.Context(), rbac.AgentNamespace, rbac.SpokeServiceAccount, path); err != nil {
		r.Fatal(err)
	}
	return path
}

// sharedAgent is an agent that rows share. They tell their works apart by their names.
type sharedAgent struct {
	cluster  string
	interval time.Duration

	start sync.Once
	agent agent
	err   error
}

var (
	polling = sharedAgent{cluster: "polled", interval: time.Second}
	still   = sharedAgent{cluster: "unpolled", interval: hour}
)

func sharing(t *testing.T, shared *sharedAgent) *row {
	t.Helper()
	t.Parallel()
	shared.start.Do(func() { shared.agent, shared.err = shared.run() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	r := newRow(t)
	r.hub, r.cluster, r.hubURL, r.agentID = hub, shared.cluster, hub.RESTConfig().Host, shared.cluster
	return r
}

func (s *sharedAgent) run() (agent, error) {
	ctx := context.Background()
	if err := rbac.InstallHub(ctx, hub.RESTConfig(), s.cluster); err != nil {
		return nil, err
	}
	options := agentOptions{
		hubKubeconfig:   filepath.Join(hub.Dir(), s.cluster+".kubeconfig"),
		spokeKubeconfig: filepath.Join(spoke.Dir(), s.cluster+".kubeconfig"),
		cluster:         s.cluster,
		agentID:         s.cluster,
		statusInterval:  s.interval,
		evictionGrace:   hour,
	}
	if err := hub.TokenKubeconfig(ctx, s.cluster, rbac.HubServiceAccount, options.hubKubeconfig); err != nil {
		return nil, err
	}
	err := spoke.TokenKubeconfig(ctx, rbac.AgentNamespace, rbac.SpokeServiceAccount, options.spokeKubeconfig)
	if err != nil {
		return nil, err
	}
	return startAgent(options)
}

func stopSharedAgents() {
	for _, shared := range []*sharedAgent{&polling, &still} {
		if shared.agent != nil {
			_ = shared.agent.stop()
		}
	}
}

// newRow makes a namespace on the spoke, named after the row, for its objects.
func newRow(t *testing.T) *row {
	t.Helper()
	parts := strings.FieldsFunc(strings.ToLower(t.Name()), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if len(parts) > 1 {
		parts = parts[1:] // without the name of the table
	}
	r := &row{T: t, namespace: strings.Join(parts, "-")}
	if err := spoke.Create(t.Context(), namespaceOf(r.namespace)); err != nil {
		t.Fatal(err)
	}
	return r
}

// recordName is what the AppliedManifestWork of a work of that name is to be called.
func (r *row) recordName(name string) string { return work.HubHash(r.hubURL) + "-" + name }

func orElse(value, fallback time.Duration) time.Duration {
	if value == 0 {
		return fallback
	}
	return value
}

func namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// allowOnHub gives the row's agent all of its rights on the hub back.
func (r *row) allowOnHub() {
	r.Helper()
	r.use(r.hub)
}

// allowOnHubOnly leaves the row's agent the right to read works and to patch the named ones.
func (r *row) allowOnHubOnly(works ...string) {
	r.Helper()
	r.replaceRights(rbacv1.PolicyRule{
		APIGroups: []string{workv1.GroupName}, Resources: []string{"manifestworks", "manifestworks/status"},
		Verbs: []string{"patch"}, ResourceNames: works,
	})
}

// forbidReports leaves the row's agent all its rights but that of writing a status.
func (r *row) forbidReports() {
	r.Helper()
	r.replaceRights(rbacv1.PolicyRule{
		APIGroups: []string{workv1.GroupName}, Resources: []string{"manifestworks"}, Verbs: []string{"patch"},
	})
}

func (r *row) replaceRights(rule rbacv1.PolicyRule) {
	r.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.cluster, Name: "some"},
		Rules: []rbacv1.PolicyRule{rule, {
			APIGroups: []string{workv1.GroupName}, Resources: []string{"manifestworks"}, Verbs: []string{"get", "list", "watch"},
		}},
	}
	r.must(r.hub.Delete(r.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{
		Namespace: r.cluster, Name: "open-cluster-management:managedcluster:" + r.cluster + ":work",
	}}))
	r.must(r.hub.Create(r.Context(), role))
	r.must(r.hub.Create(r.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.cluster, Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: r.cluster, Name: rbac.HubServiceAccount}},
	}))
}

// agentMayNotRead finds fault while the agent's identity may get objects of that kind.
func (r *row) agentMayNotRead(group, resource string) error {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "system:serviceaccount:" + rbac.AgentNamespace + ":" + rbac.SpokeServiceAccount,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: r.namespace, Verb: "get", Group: group, Resource: resource,
		},
	}}
	if err := spoke.Create(r.Context(), review); err != nil {
		return err
	}
	if review.Status.Allowed {
		return fmt.Errorf("the agent may still read %s", resource)
	}
	return nil
}
