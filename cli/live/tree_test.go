package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// cluster is one that counts what is asked of it, and refuses some of it.
type cluster struct {
	client.WithWatch
	calls  int
	refuse func(kind string) error
}

func newCluster(t *testing.T, objects ...client.Object) *cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, corev1alpha1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	made := &cluster{refuse: func(string) error { return nil }}
	made.WithWatch = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, next client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			made.calls++
			return next.Get(ctx, key, object, options...)
		},
		List: func(ctx context.Context, next client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			made.calls++
			if err := made.refuse(fmt.Sprintf("%T %s", list, list.GetObjectKind().GroupVersionKind().Kind)); err != nil {
				return err
			}
			return next.List(ctx, list, options...)
		},
	}).Build()
	return made
}

func owned(name, owner string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{corev1alpha1.ComponentUIDLabel: "uid-" + owner}}
}

func controlled(name, kind, owner string) metav1.ObjectMeta {
	yes := true
	return metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name),
		OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: owner, UID: types.UID("uid-" + owner), Controller: &yes}}}
}

func ledger(name string, resources ...corev1alpha1.TrackedResource) *corev1alpha1.ResourceTracker {
	return &corev1alpha1.ResourceTracker{ObjectMeta: metav1.ObjectMeta{Name: "shop." + name}, Spec: corev1alpha1.ResourceTrackerSpec{Resources: resources}}
}

func tracked(apiVersion, kind, name string) corev1alpha1.TrackedResource {
	version := schema.FromAPIVersionAndKind(apiVersion, kind)
	return corev1alpha1.TrackedResource{Group: version.Group, Version: version.Version, Kind: kind, Namespace: "shop", Name: name}
}

// world is a Component of n ConfigMaps and of ten Components, each of which has a Deployment with a pod. Two lead to each other.
func world(n int) []client.Object {
	ofComponent := corev1alpha1.GroupVersion.String()
	root := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "site", UID: "uid-site"}}
	objects := []client.Object{root}
	var resources []corev1alpha1.TrackedResource
	for i := range n {
		name := fmt.Sprint("config-", i)
		objects = append(objects, &corev1.ConfigMap{ObjectMeta: owned(name, "site")})
		resources = append(resources, tracked("v1", "ConfigMap", name))
	}
	one := int32(1)
	for i := range 10 {
		name := fmt.Sprint("part-", i)
		resources = append(resources, tracked(ofComponent, "Component", name))
		objects = append(objects,
			&corev1alpha1.Component{ObjectMeta: owned(name, "site")},
			ledger(name, tracked("apps/v1", "Deployment", "web-"+name), tracked(ofComponent, "Component", "part-0")),
			&appsv1.Deployment{ObjectMeta: owned("web-"+name, name)},
			&appsv1.ReplicaSet{ObjectMeta: controlled("old-"+name, "Deployment", "web-"+name)},
			&appsv1.ReplicaSet{ObjectMeta: controlled("set-"+name, "Deployment", "web-"+name), Spec: appsv1.ReplicaSetSpec{Replicas: &one}},
			&corev1.Pod{ObjectMeta: controlled("pod-"+name, "ReplicaSet", "set-"+name)},
		)
	}
	return append(objects, ledger("site", resources...))
}

func read(t *testing.T, from *cluster, name string) *Node {
	t.Helper()
	component, err := Get(t.Context(), from, client.ObjectKey{Namespace: "shop", Name: name})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Tree(t.Context(), from, component)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestKindsAreListedAndObjectsAreNotReadOneByOne(t *testing.T) {
	from := newCluster(t, world(2000)...)
	tree := read(t, from, "site")
	kinds := map[string]int{}
	tree.Walk(func(node *Node) { kinds[node.Kind]++ })
	for kind, want := range map[string]int{"ConfigMap": 2000, "Component": 1 + 10 + 10, "Deployment": 10, "ReplicaSet": 10, "Pod": 10} {
		if kinds[kind] != want {
			t.Errorf("got %d objects of kind %s, want %d", kinds[kind], kind, want)
		}
	}
	// The Component, eleven trackers, two kinds at each of two levels, what lies below, and a few that are not where they should be.
	if most := 1 + 2*11 + 4 + 3 + maxLooks; from.calls > most {
		t.Errorf("%d calls for 2000 objects, want at most %d", from.calls, most)
	}
}

func TestWhatMayNotBeReadIsShownAsThat(t *testing.T) {
	from := newCluster(t, world(1)...)
	from.refuse = func(kind string) error {
		if strings.Contains(kind, "DeploymentList") || strings.Contains(kind, "PodList") {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", errors.New("no"))
		}
		return nil
	}
	tree := read(t, from, "site")
	unreadable := 0
	tree.Walk(func(node *Node) {
		if node.Health == Unreadable && node.Message == "you may not read objects of kind Deployment.apps in namespace shop" {
			unreadable++
		}
	})
	if unreadable != 10 {
		t.Errorf("%d Deployments are shown as unreadable, want 10", unreadable)
	}
	if config := tree.Below[0]; config.Health != Current {
		t.Errorf("the ConfigMap beside them is %s", config.Health)
	}
}

func TestObjectsThatAreGoneOrSomebodyElsesAreToldApart(t *testing.T) {
	from := newCluster(t,
		&corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "uid-web"}},
		&corev1.ConfigMap{ObjectMeta: owned("theirs", "other")}, ledger("web", tracked("v1", "ConfigMap", "theirs"), tracked("v1", "ConfigMap", "gone")))
	tree := read(t, from, "web")
	if gone, theirs := tree.Below[0].Health, tree.Below[1].Health; theirs != Foreign || gone != Missing {
		t.Errorf("got %s and %s", theirs, gone)
	}
}

func TestSharedAndEndedObjects(t *testing.T) {
	shared := owned("shared", "other")
	shared.Labels[corev1alpha1.ComponentNamespaceLabel], shared.Labels[corev1alpha1.ComponentNameLabel] = "shop", "first"
	shared.Annotations = map[string]string{corev1alpha1.SharedByAnnotation: "shop/web/uid-web"}
	once := tracked("v1", "ConfigMap", "once")
	once.Applied = true
	from := newCluster(t,
		&corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "uid-web"}},
		&corev1.ConfigMap{ObjectMeta: shared}, ledger("web", tracked("v1", "ConfigMap", "shared"), once))
	tree := read(t, from, "web")
	if ended, shared := tree.Below[0].Health, tree.Below[1]; ended != Ended || shared.Health != Current || shared.Message != "shared with Component shop/first, which applies it" {
		t.Errorf("got %s, and %s: %s", ended, shared.Health, shared.Message)
	}
}

func TestAnInterruptionEndsReading(t *testing.T) {
	from := newCluster(t, world(1)...)
	ctx, stop := context.WithCancel(t.Context())
	from.refuse = func(string) error {
		stop()
		return ctx.Err()
	}
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "site", UID: "uid-site"}}
	if _, err := Tree(ctx, from, component); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for want, err := range map[string]error{
		"this cluster knows no Components: install the agent there": &meta.NoKindMatchError{},
		"Component shop/web is not on this cluster: run wheel get":  apierrors.NewNotFound(schema.GroupResource{}, "web"),
		"reading Component shop/web: no route":                      errors.New("no route"),
	} {
		if got := Explain("Component shop/web", err).Error(); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
