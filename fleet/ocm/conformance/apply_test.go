package conformance

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

// TestApply holds the rows of a work's way to the spoke.
func TestApply(t *testing.T) {
	t.Run("A1", nothingBeforeTheFinalizer)
	t.Run("A2", recordOfAWork)
	t.Run("A3", ownedObject)
	t.Run("A4", appliedConditions)
	t.Run("A5", availableConditions)
	t.Run("A6", oneManifestFails)
	t.Run("A8", manifestReplaced)
	t.Run("A9", customResourceBesideItsDefinition)
	t.Run("A11", orderOfKinds)
	t.Run("A12", namespaceOnClusterScoped)
	t.Run("A17", uidInManifest)
	t.Run("A18", unknownKind)
	t.Run("A18b", forbiddenKind)
	t.Run("A19", immutableField)
	t.Run("A21", annotationOfTheWork)
	t.Run("A22", generationWithoutEffect)
	t.Run("A23", reorderedManifests)
	t.Run("A24", sharedObject)
}

func nothingBeforeTheFinalizer(t *testing.T) {
	r := alone(t, agentOptions{})
	first := r.configMap("first", "")
	r.allowOnHubOnly("a1-fence")
	r.startAgent()
	r.create(manifestWork{name: "a1", manifests: []object{first}})

	r.create(manifestWork{name: "a1-fence", manifests: []object{r.configMap("fence", "")}})
	r.awaitWork("a1-fence", available(metav1.ConditionTrue))
	r.mustNotLive(first)
	if finalizers := r.mustWork("a1").Finalizers; len(finalizers) != 0 {
		t.Fatalf("finalizers %v, want none before it is allowed", finalizers)
	}

	r.allowOnHub()
	work := r.awaitWork("a1", available(metav1.ConditionTrue))
	if !slices.Contains(work.Finalizers, workv1.ManifestWorkFinalizer) {
		t.Errorf("finalizers %v", work.Finalizers)
	}
	r.awaitLive(first)
}

func recordOfAWork(t *testing.T) {
	r := unpolled(t)
	w := manifestWork{name: "a2", labels: map[string]string{"team": "red"}, manifests: []object{r.configMap("cm", "")}}
	r.create(w)
	r.awaitWork("a2", applied(metav1.ConditionTrue))

	hubHash := fmt.Sprintf("%x", sha256.Sum256([]byte(r.hubURL)))
	record := r.awaitRecord("a2", recorded("cm"))
	if want := hubHash + "-a2"; record.Name != want {
		t.Errorf("name %s, want %s", record.Name, want)
	}
	if want := []string{"cluster.open-cluster-management.io/applied-manifest-work-cleanup"}; !slices.Equal(record.Finalizers, want) {
		t.Errorf("finalizers %v, want %v", record.Finalizers, want)
	}
	want := workv1.AppliedManifestWorkSpec{HubHash: hubHash, AgentID: r.agentID, ManifestWorkName: "a2"}
	if diff := cmp.Diff(want, record.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}

	w.labels = map[string]string{"team": "blue"}
	r.update(w)
	r.fence()
	if diff := cmp.Diff(map[string]string{"team": "red"}, r.mustRecord("a2").Labels); diff != "" {
		t.Errorf("labels after those of the work have changed (-want +got):\n%s", diff)
	}
}

func ownedObject(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("cm", "")
	r.create(manifestWork{name: "a3", manifests: []object{cm}})
	r.awaitWork("a3", applied(metav1.ConditionTrue))

	record := r.mustRecord("a3")
	live := r.mustLive(cm)
	want := []metav1.OwnerReference{{
		APIVersion: "work.open-cluster-management.io/v1", Kind: "AppliedManifestWork", Name: record.Name, UID: record.UID,
	}}
	if diff := cmp.Diff(want, live.GetOwnerReferences()); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	for _, entry := range live.GetManagedFields() {
		if entry.Manager != "work-agent" {
			t.Errorf("field manager %s, want work-agent", entry.Manager)
		}
	}
}

func appliedConditions(t *testing.T) {
	r := unpolled(t)
	r.create(manifestWork{name: "a4", manifests: []object{r.configMap("cm", "")}})
	r.awaitWork("a4",
		has(condition{kind: "Applied", status: metav1.ConditionTrue, reason: "AppliedManifestWorkComplete", message: "Apply manifest work complete", generation: 1}),
		manifestHas(0, condition{kind: "Applied", status: metav1.ConditionTrue, reason: "AppliedManifestComplete", message: "Apply manifest complete", generation: 1}))
}

func availableConditions(t *testing.T) {
	r := unpolled(t)
	r.create(manifestWork{name: "a5", manifests: []object{r.configMap("cm", "")}})
	work := r.awaitWork("a5",
		has(condition{kind: "Available", status: metav1.ConditionTrue, reason: "ResourcesAvailable", message: "All resources are available", generation: 1}),
		manifestAvailable(0, metav1.ConditionTrue, "ResourceAvailable"))

	var kinds []string
	for _, condition := range work.Status.ResourceStatus.Manifests[0].Conditions {
		kinds = append(kinds, condition.Type)
	}
	slices.Sort(kinds)
	if diff := cmp.Diff([]string{"Applied", "Available", "StatusFeedbackSynced"}, kinds); diff != "" {
		t.Errorf("conditions of the manifest (-want +got):\n%s", diff)
	}
}

func oneManifestFails(t *testing.T) {
	r := unpolled(t)
	homeless := r.configMap("homeless", "")
	homeless.SetNamespace(r.namespace + "-missing")
	second, third := r.configMap("second", ""), r.configMap("third", "")
	r.create(manifestWork{name: "a6", manifests: []object{homeless, second, third}})
	r.awaitLive(second)
	r.awaitLive(third)
	r.awaitWork("a6",
		manifestApplied(0, metav1.ConditionFalse), manifestApplied(1, metav1.ConditionTrue), manifestApplied(2, metav1.ConditionTrue),
		manifestHas(0, condition{kind: "Applied", status: metav1.ConditionFalse, reason: "AppliedManifestFailed", message: "Failed to apply manifest: "}),
		has(condition{kind: "Applied", status: metav1.ConditionFalse, reason: "AppliedManifestWorkFailed", generation: 1}),
		has(condition{kind: "Available", status: metav1.ConditionFalse, reason: "ResourcesNotAvailable", message: "1 of 3 resources are not available"}))
}

func manifestReplaced(t *testing.T) {
	r := unpolled(t)
	first, second := r.configMap("first", ""), r.configMap("second", "")
	w := manifestWork{name: "a8", manifests: []object{first}}
	r.create(w)
	r.awaitWork("a8", applied(metav1.ConditionTrue))
	r.awaitRecord("a8", recorded("first"))

	w.manifests = []object{second}
	r.update(w)
	r.awaitLive(second)
	r.awaitLiveGone(first)
	r.awaitRecord("a8", recorded("second"))
	r.awaitWork("a8", applied(metav1.ConditionTrue), available(metav1.ConditionTrue))
}

func customResourceBesideItsDefinition(t *testing.T) {
	r := unpolled(t)
	definition := newDefinition("Widget", "widgets")
	resource := newObject(testGroup+"/v1", "Widget", r.namespace, "one", map[string]any{"spec": map[string]any{}})
	seen := r.workHistory("a9")
	r.create(manifestWork{name: "a9", manifests: []object{resource, definition}})

	awaitVersion(r, seen, "a pass without the kind", manifestHas(0, condition{
		kind: "Applied", status: metav1.ConditionFalse, message: `the server doesn't have a resource type "Widget"`,
	}), manifestApplied(1, metav1.ConditionTrue))
	r.awaitWork("a9", applied(metav1.ConditionTrue), manifestApplied(0, metav1.ConditionTrue))
	r.awaitLive(resource)
}

// newDefinition is the CRD of a kind that takes anything as its spec.
func newDefinition(kind, plural string) object {
	return newObject("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", plural+"."+testGroup, map[string]any{
		"spec": map[string]any{
			"group": testGroup,
			"scope": "Namespaced",
			"names": map[string]any{"plural": plural, "kind": kind},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true,
				}},
			}},
		},
	})
}

func orderOfKinds(t *testing.T) {
	r := unpolled(t)
	manifests := []object{
		r.gadget("resource", nil),
		r.deployment("deployment"),
		r.serviceAccount("account"),
		newObject("v1", "Namespace", "", r.namespace+"-extra", nil),
		newDefinition("Sprocket", "sprockets"),
	}
	var histories []*history[object]
	for _, manifest := range manifests {
		histories = append(histories, r.liveHistory(manifest))
	}
	r.create(manifestWork{name: "a11", manifests: manifests})
	work := r.awaitWork("a11", applied(metav1.ConditionTrue))

	inOrder := []int{3, 4, 2, 1, 0} // namespace, definition, account, deployment, resource
	for i := range len(inOrder) - 1 {
		before, after := inOrder[i], inOrder[i+1]
		if creation(r, histories[before]) >= creation(r, histories[after]) {
			t.Errorf("%s was created before %s", manifests[after].GetKind(), manifests[before].GetKind())
		}
	}
	for i, manifest := range work.Status.ResourceStatus.Manifests {
		if manifest.ResourceMeta.Kind != manifests[i].GetKind() || manifest.ResourceMeta.Ordinal != int32(i) {
			t.Errorf("status %d is that of %+v, want %s", i, manifest.ResourceMeta, manifests[i].GetKind())
		}
	}
}

func namespaceOnClusterScoped(t *testing.T) {
	r := unpolled(t)
	role := newObject("rbac.authorization.k8s.io/v1", "ClusterRole", r.namespace, r.namespace, map[string]any{"rules": []any{}})
	r.create(manifestWork{name: "a12", manifests: []object{role}})
	work := r.awaitWork("a12", applied(metav1.ConditionTrue), available(metav1.ConditionTrue))
	if namespace := work.Status.ResourceStatus.Manifests[0].ResourceMeta.Namespace; namespace != "" {
		t.Errorf("namespace %q in the status, want none", namespace)
	}
	record := r.awaitRecord("a12", recorded(r.namespace))
	if namespace := record.Status.AppliedResources[0].Namespace; namespace != "" {
		t.Errorf("namespace %q in the record, want none", namespace)
	}
}

func uidInManifest(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("cm", "")
	cm.SetUID("11111111-2222-3333-4444-555555555555")
	w := manifestWork{name: "a17", manifests: []object{cm}}
	r.create(w)
	r.awaitWork("a17", applied(metav1.ConditionTrue))
	if uid := r.mustLive(cm).GetUID(); uid == cm.GetUID() {
		t.Errorf("the object has the manifest's UID")
	}

	w.manifests = []object{r.configMap("cm", "changed")}
	w.manifests[0].SetUID(cm.GetUID())
	r.update(w)
	r.awaitLive(cm, field("changed", "data", "key"))
	r.awaitWork("a17", applied(metav1.ConditionTrue))
}

// A manifest that cannot even be parsed does not get past the hub's API server; one of a kind
// that the spoke does not have is as unknown to the agent.
func unknownKind(t *testing.T) {
	r := unpolled(t)
	unknown := newObject("unknown.example.com/v1", "Unknown", r.namespace, "unknown", nil)
	r.stalls("a18", unknown, manifestHas(0, condition{
		kind: "Applied", status: metav1.ConditionFalse, message: `the server doesn't have a resource type "Unknown"`,
	}), manifestAvailable(0, metav1.ConditionUnknown, "IncompleteResourceMeta"))
}

func forbiddenKind(t *testing.T) {
	r := unpolled(t)
	r.stalls("a18b", r.vault("vault"), manifestHas(0, condition{
		kind: "Applied", status: metav1.ConditionFalse, message: "forbidden",
	}), manifestAvailable(0, metav1.ConditionUnknown, "FetchingResourceFailed"))
}

// stalls shows that a bad manifest keeps the work's others from being pruned and recorded,
// though not from being applied, until it is gone.
func (r *row) stalls(name string, bad object, checks ...workCheck) {
	r.Helper()
	dropped, kept := r.configMap("dropped", ""), r.configMap("kept", "")
	w := manifestWork{name: name, manifests: []object{dropped, kept}}
	r.create(w)
	r.awaitWork(name, applied(metav1.ConditionTrue))
	r.awaitRecord(name, recorded("dropped", "kept"))

	added := r.configMap("added", "")
	w.manifests = []object{bad, added, r.configMap("kept", "changed")}
	r.update(w)
	r.awaitWork(name, append(checks, applied(metav1.ConditionFalse), manifestApplied(1, metav1.ConditionTrue))...)
	r.awaitLive(added)
	r.awaitLive(kept, field("changed", "data", "key"))
	r.fence()
	r.mustLive(dropped)
	r.must(recorded("dropped", "kept")(r.mustRecord(name)))

	w.manifests = w.manifests[1:]
	r.update(w)
	r.awaitLiveGone(dropped)
	r.awaitRecord(name, recorded("added", "kept"))
}

func immutableField(t *testing.T) {
	r := unpolled(t)
	binding := func(role string) object {
		return newObject("rbac.authorization.k8s.io/v1", "RoleBinding", r.namespace, "binding", map[string]any{
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": "default", "namespace": r.namespace}},
		})
	}
	w := manifestWork{name: "a19", manifests: []object{binding("view")}}
	r.create(w)
	r.awaitWork("a19", applied(metav1.ConditionTrue), available(metav1.ConditionTrue))

	w.manifests = []object{binding("edit")}
	r.update(w)
	work := r.awaitWork("a19", applied(metav1.ConditionFalse), manifestApplied(0, metav1.ConditionFalse))
	r.must(available(metav1.ConditionTrue)(work))
}

func annotationOfTheWork(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", map[string]any{"size": "small"})
	w := manifestWork{name: "a21", manifests: []object{gadget}}
	r.create(w)
	r.awaitWork("a21", applied(metav1.ConditionTrue))

	r.edit(gadget, map[string]any{"spec": map[string]any{"size": "large"}})
	w.annotations = map[string]string{"note": "one"}
	r.update(w)
	r.fence()
	r.must(field("large", "spec", "size")(r.mustLive(gadget)))

	w.labels = map[string]string{"an": "apply"}
	r.update(w)
	r.awaitLive(gadget, field("small", "spec", "size"))
}

func generationWithoutEffect(t *testing.T) {
	r := unpolled(t)
	w := manifestWork{name: "a22", manifests: []object{r.configMap("cm", "")}}
	r.create(w)
	work := r.awaitWork("a22", applied(metav1.ConditionTrue), available(metav1.ConditionTrue))
	manifest := work.Status.ResourceStatus.Manifests[0]
	ofManifest := transition(r, manifest.Conditions, "Applied")
	ofWork := transition(r, work.Status.Conditions, "Applied")
	r.awaitNextSecond(ofManifest)

	w.configs = []config{healthOf(r.gadget("none", nil))}
	r.update(w)
	work = r.awaitWork("a22",
		has(condition{kind: "Applied", status: metav1.ConditionTrue, generation: 2}),
		manifestHas(0, condition{kind: "Applied", status: metav1.ConditionTrue, generation: 2}))
	if now := transition(r, work.Status.ResourceStatus.Manifests[0].Conditions, "Applied"); !now.After(ofManifest.Time) {
		t.Errorf("transition of the manifest %v, want one after %v", now, ofManifest)
	}
	if now := transition(r, work.Status.Conditions, "Applied"); !now.Equal(&ofWork) {
		t.Errorf("transition of the work %v, want still %v", now, ofWork)
	}
}

func reorderedManifests(t *testing.T) {
	r := unpolled(t)
	healthy, silent := r.gadget("healthy", nil), r.gadget("silent", nil)
	w := manifestWork{name: "a23", manifests: []object{healthy, silent},
		configs: []config{healthOf(healthy).watched(), healthOf(silent).watched()}}
	r.create(w)
	r.awaitLive(healthy)
	r.report(healthy, map[string]any{"isHealthy": true})
	r.awaitWork("a23", values(0, map[string]any{"isHealthy": true}), values(1, map[string]any{}))

	seen := r.workHistory("a23")
	w.manifests = []object{silent, healthy}
	r.update(w)
	r.awaitWork("a23", applied(metav1.ConditionTrue), values(0, map[string]any{}), values(1, map[string]any{"isHealthy": true}))
	for _, version := range seen.all() {
		for _, manifest := range version.Status.ResourceStatus.Manifests {
			hasValue := len(manifest.StatusFeedbacks.Values) == 1
			if isHealthy := manifest.ResourceMeta.Name == "healthy"; hasValue != isHealthy {
				t.Errorf("version %s: values of %s: %v", version.ResourceVersion, manifest.ResourceMeta.Name, manifest.StatusFeedbacks.Values)
			}
			if meta.FindStatusCondition(manifest.Conditions, "Available") == nil {
				t.Errorf("version %s: %s has lost its conditions", version.ResourceVersion, manifest.ResourceMeta.Name)
			}
		}
	}
}

func sharedObject(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("shared", "")
	one, two := manifestWork{name: "a24-one", manifests: []object{cm}}, manifestWork{name: "a24-two", manifests: []object{cm}}
	r.create(one)
	r.create(two)
	r.awaitWork(one.name, applied(metav1.ConditionTrue))
	r.awaitWork(two.name, applied(metav1.ConditionTrue))
	records := []*workv1.AppliedManifestWork{r.awaitRecord(one.name, recorded("shared")), r.awaitRecord(two.name, recorded("shared"))}
	live := r.awaitLive(cm, ownedBy(records...))
	for _, record := range records {
		if uid := record.Status.AppliedResources[0].UID; uid != string(live.GetUID()) {
			t.Errorf("recorded UID %s, want %s", uid, live.GetUID())
		}
	}
}
