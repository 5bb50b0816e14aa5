package live

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// sample has one of everything that a tree may show.
func sample() *Node {
	made := noon.Add(-5 * time.Minute)
	pod := &Node{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "web-1-a", Health: Failed, Reason: "CrashLoopBackOff", Message: "back-off", Created: &made, UID: "4"}
	set := &Node{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "shop", Name: "web-1", Health: InProgress, Created: &made, UID: "3", Below: []*Node{pod}}
	return &Node{
		APIVersion: corev1alpha1.GroupVersion.String(), Kind: "Component", Namespace: "shop", Name: "web", Health: Failed, Reason: "Unhealthy",
		Message: "0 of 1 pods are ready", Created: &made, UID: "1", Component: &corev1alpha1.Component{},
		Unread: []string{"you may not read objects of kind Certificate.cert-manager.io in namespace shop"},
		Below: []*Node{
			{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web", Output: "config", Health: Current, Created: &made, UID: "5"},
			{APIVersion: "v1", Kind: "Service", Namespace: "edge", Name: "web", Health: Missing},
			{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web", Output: "workload", Health: InProgress, Created: &made, UID: "2", Below: []*Node{set}},
			{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "web", Health: Terminating, Held: []string{"example.com/kept"}, Created: &made, UID: "6"},
			{APIVersion: "batch/v1", Kind: "Job", Namespace: "shop", Name: "web-x", Step: "migrate", Health: Current, Created: &made, UID: "7"},
		},
	}
}

const sampleText = `OBJECT                   FROM           HEALTH                      AGE   MESSAGE
Component web            -              Failed (Unhealthy)          5m    0 of 1 pods are ready
├─ Deployment web        workload       InProgress                  5m
│  └─ ReplicaSet web-1   -              InProgress                  5m
│     └─ Pod web-1-a     -              Failed (CrashLoopBackOff)   5m    back-off
├─ Service edge/web      -              Missing                     -
├─ ClusterRole web       -              Terminating                 5m    held by example.com/kept
├─ ConfigMap web         config         Current                     5m
├─ Job web-x             step migrate   Current                     5m
└─ you may not read objects of kind Certificate.cert-manager.io in namespace shop
`

func TestTreeIsPrintedWorstFirst(t *testing.T) {
	var out bytes.Buffer
	printer := Printer{Now: noon}
	if err := printer.Print(&out, sample()); err != nil {
		t.Fatal(err)
	}
	if out.String() != sampleText {
		t.Errorf("got\n%s\nwant\n%s", out.String(), sampleText)
	}
}

func TestManyHealthyObjectsAreCounted(t *testing.T) {
	root := &Node{APIVersion: corev1alpha1.GroupVersion.String(), Kind: "Component", Namespace: "shop", Name: "big", Health: Failed, UID: "1"}
	for i := range 2000 {
		root.Below = append(root.Below, &Node{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint("c", i), Health: Current, UID: "x"})
	}
	root.Below[1700].Health = Missing
	for all, lines := range map[bool]int{false: 2 + 1 + maxHealthy + 1, true: 2 + 2000} {
		var out bytes.Buffer
		printer := Printer{Now: noon, All: all}
		if err := printer.Print(&out, root); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "\n"); got != lines {
			t.Errorf("all=%v: got %d lines, want %d", all, got, lines)
		}
		if third := strings.Split(out.String(), "\n")[2]; !strings.HasPrefix(third, "├─ ConfigMap c1700") {
			t.Errorf("all=%v: the first object is %s", all, third)
		}
		if folded := strings.Contains(out.String(), "└─ and 1979 more healthy: --all shows them"); folded == all {
			t.Errorf("all=%v: wrong end: %s", all, out.String()[out.Len()-200:])
		}
	}
}

func TestWorstIsTheDeepestOfTheWorst(t *testing.T) {
	tree := sample()
	if got := tree.Worst(); got == nil || got.Name != "web-1-a" {
		t.Errorf("got %v, want the pod", got)
	}
	tree.Below = tree.Below[:1]
	if got := tree.Worst(); got != tree {
		t.Errorf("got %v, want the Component itself, since nothing below it is wrong", got)
	}
	tree.Health = Current
	if got := tree.Worst(); got != nil {
		t.Errorf("got %v of a tree in which all is well", got)
	}
}
