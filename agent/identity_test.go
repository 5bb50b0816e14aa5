package agent_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// twoKinds makes what a limited account may make, and what it may not.
const twoKinds = `
parameters: {secret: *true | bool}
outputs: [
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: a: "1"}},
	if parameters.secret {{name: "secret", value: {apiVersion: "v1", kind: "Secret", stringData: a: "1"}}},
]
isHealthy: true
`

// revoke takes back what newSpoke grants to all accounts of the namespace.
func (s *spoke) revoke() {
	s.t.Helper()
	s.must(s.client.Delete(s.t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: s.ns}}))
}

// account makes a ServiceAccount that may do everything with some resources of the namespace.
func (s *spoke) account(name string, resources ...string) {
	s.t.Helper()
	s.create(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name}})
	s.allow(name, resources...)
}

func (s *spoke) allow(account string, resources ...string) {
	s.t.Helper()
	s.allowIn("", account, resources...)
}

func (s *spoke) allowIn(group, account string, resources ...string) {
	s.t.Helper()
	named := metav1.ObjectMeta{Namespace: s.ns, GenerateName: account + "-"}
	role := &rbacv1.Role{ObjectMeta: named, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{group, "core.wheelwright.dev"}, Resources: resources, Verbs: []string{"*"},
	}}}
	s.create(role)
	s.create(&rbacv1.RoleBinding{ObjectMeta: named,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.ns, Name: account}},
	})
}

func (s *spoke) standalone(name, account, source, properties string) *corev1alpha1.Component {
	component := s.component(name, "", inline(name, source), properties)
	component.Spec.ServiceAccountName = account
	return component
}

// awaitRefusal waits until condition typ says that something is forbidden to the account.
func (s *spoke) awaitRefusal(name, typ, account string) {
	s.t.Helper()
	s.eventually("Component "+name+" is refused something", func() string {
		for _, one := range s.get(name).Status.Conditions {
			if one.Type == typ && strings.Contains(one.Message, "is forbidden") && strings.Contains(one.Message, "system:serviceaccount:"+s.ns+":"+account) {
				return ""
			}
		}
		return pretty(s.get(name).Status)
	})
}

func TestStandaloneComponentCanDoNoMoreThanItsAccount(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps")
	s.create(s.standalone("shop", "limited", twoKinds, `{}`))
	s.awaitRefusal("shop", condition.Applied, "limited")
	if said := s.awaitReason("shop", condition.Applied, condition.ReasonApplyFailed).Message; !strings.Contains(said, "bind a role") {
		t.Errorf("Applied does not say what to do: %s", said)
	}
	if s.object("v1", "Secret", "shop") != nil {
		t.Error("the Secret was made")
	}
	s.allow("limited", "secrets")
	s.awaitReason("shop", condition.Ready, condition.ReasonReady)
	s.awaitReason("shop", condition.Verified, condition.ReasonStandalone)
	s.allow("default", "configmaps", "secrets") // of no use to it
}

// Nobody borrows the agent's power by leaving the account out.
func TestStandaloneComponentWithoutAccountIsDefault(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.create(s.standalone("shop", "", twoKinds, `{"secret":false}`))
	s.awaitRefusal("shop", condition.Applied, "default")
	if s.object("v1", "ConfigMap", "shop") != nil {
		t.Error("the ConfigMap was made")
	}
	s.allow("default", "configmaps")
	s.awaitReason("shop", condition.Ready, condition.ReasonReady)
}

func TestDispatchedComponentHasTheAgentsRights(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.create(s.component("shop", "r1", inline("shop", twoKinds), `{}`))
	s.awaitHealth("shop", "r1", true)
	s.awaitReason("shop", condition.Verified, condition.ReasonFromHub)
}

func TestDispatchedComponentNamesNoAccount(t *testing.T) {
	s := newSpoke(t)
	component := s.component("shop", "r1", inline("shop", twoKinds), `{}`)
	component.Spec.ServiceAccountName = "limited"
	err := s.client.Create(t.Context(), component)
	if err == nil || !strings.Contains(err.Error(), "serviceAccountName is for Components applied by hand") {
		t.Errorf("got %v", err)
	}
}

// What a definition reads for a Component is read by its account too.
func TestSourcesAreReadByTheAccount(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps")
	s.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "password"}, StringData: map[string]string{"key": "hunter2"}})
	source := `
parameters: word: string
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: word: parameters.word}}]
isHealthy: true
`
	s.create(s.standalone("thief", "limited", source, `{"word":{"fromSource":"secret/password.key"}}`))
	s.awaitRefusal("thief", condition.Rendered, "limited")
	if data := s.configData("thief"); data != nil {
		t.Errorf("the ConfigMap holds %v", data)
	}
	s.allow("limited", "secrets")
	s.awaitReason("thief", condition.Ready, condition.ReasonReady)
}

func TestStepsOfAWorkflowActAsTheAccount(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps")
	component := s.standalone("shop", "limited", twoKinds, `{"secret":false}`)
	component.Spec.DefinitionSnapshot.Files["workflow.cue"] = `
workflow: create: [
	{type: "run-job", properties: {image: "migrate:1", command: ["true"]}},
	{type: "dispatch"},
]
`
	s.create(component)
	s.awaitRefusal("shop", condition.Workflow, "limited")
	s.edit("shop", func(component *corev1alpha1.Component) { // so that it can be deleted without waiting for a Job
		delete(component.Spec.DefinitionSnapshot.Files, "workflow.cue")
	})
	s.awaitReason("shop", condition.Ready, condition.ReasonReady)
}

// Labels that anyone can set do not make a Component part of another one.
func TestForgedLabelsGiveNoRights(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.create(s.component("victim", "r1", inline("victim", twoKinds), `{}`))
	victim := s.awaitHealth("victim", "r1", true)
	thief := s.standalone("thief", "", twoKinds, `{}`)
	thief.Labels = map[string]string{
		corev1alpha1.ComponentUIDLabel: string(victim.UID), corev1alpha1.ComponentNameLabel: victim.Name,
		corev1alpha1.ComponentNamespaceLabel: victim.Namespace,
	}
	s.create(thief)
	s.awaitRefusal("thief", condition.Applied, "default")
	s.awaitReason("thief", condition.Verified, condition.ReasonStandalone)
}

// Without rights of its own, a child of a dispatched Component does what that one rendered and nothing else.
func TestChildHasTheRightsOfWhatWasRendered(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.stack(`{"host":"one"}`)
	s.awaitHealth("shop", "r1", true)
	s.awaitReason("shop-db-leaf", condition.Verified, condition.ReasonComposed)
	s.edit("shop-db-leaf", func(child *corev1alpha1.Component) {
		child.Spec.Properties.Raw = []byte(`{"host":"evil"}`)
	})
	s.eventually("the child is as it was", func() string {
		return strings.TrimPrefix(string(s.get("shop-db-leaf").Spec.Properties.Raw), `{"host":"db.one","up":true}`)
	})
	s.awaitReason("shop-db-leaf", condition.Ready, condition.ReasonReady)
	for _, config := range s.record.configs {
		if config.data["host"] == "evil" {
			t.Error("what was edited into the child was applied")
		}
	}
}

func TestStandaloneChildrenActAsTheirParent(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps", "components")
	s.install("leaf", leaf)
	s.install("middle", middle)
	s.create(s.standalone("shop", "limited", s.named(stack), `{"host":"one"}`))
	s.awaitReason("shop", condition.Ready, condition.ReasonReady)
	if got := s.get("shop-db-leaf").Spec.ServiceAccountName; got != "limited" {
		t.Errorf("the child acts as %q", got)
	}
}

// The account of a Component goes with the namespace, in any order.
func TestNamespaceIsDeletedWithTheAccount(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps", "secrets")
	s.create(s.standalone("shop", "limited", twoKinds, `{}`))
	s.awaitReason("shop", condition.Ready, condition.ReasonReady)
	s.must(s.client.DeleteAllOf(t.Context(), &rbacv1.RoleBinding{}, client.InNamespace(s.ns)))
	s.must(s.client.Delete(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "limited"}}))
	s.must(s.client.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.ns}}))
	s.eventually("the Component is gone", func() string {
		err := s.client.Get(context.Background(), client.ObjectKey{Namespace: s.ns, Name: "shop"}, &corev1alpha1.Component{})
		if client.IgnoreNotFound(err) == nil && err != nil {
			return ""
		}
		return "it is there"
	})
}

// Without its account a Component is not deleted with more rights than it had, and says what it lacks.
func TestDeletionNeedsTheAccount(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps", "secrets")
	s.create(s.standalone("shop", "limited", twoKinds, `{}`))
	s.awaitReason("shop", condition.Ready, condition.ReasonReady)
	s.must(s.client.DeleteAllOf(t.Context(), &rbacv1.RoleBinding{}, client.InNamespace(s.ns)))
	s.must(s.client.Delete(t.Context(), s.get("shop")))
	s.awaitRefusal("shop", condition.Ready, "limited")
	s.allow("limited", "configmaps", "secrets")
}

// What a Component only reads is read with its account's rights.
func TestReadOnlyOutputNeedsTheAccount(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps")
	s.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "password"}, StringData: map[string]string{"key": "hunter2"}})
	source := `
outputs: [{name: "secret", value: {apiVersion: "v1", kind: "Secret", metadata: {name: "password", annotations: "component.oam.dev/ownership": "read-only"}}}]
isHealthy: true
exports: stolen: context.outputs.secret.data.key
`
	s.create(s.standalone("thief", "limited", source, `{}`))
	s.awaitRefusal("thief", condition.Applied, "limited")
	if exports := s.get("thief").Status.Exports; exports != nil {
		t.Errorf("it exports %s", exports.Raw)
	}
	s.allow("limited", "secrets")
	s.awaitReason("thief", condition.Ready, condition.ReasonReady)
}
