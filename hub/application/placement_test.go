package application

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// cluster takes labels as key=value; "down" makes it unavailable.
func cluster(name string, marks ...string) clusterv1.ManagedCluster {
	c := clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	status := metav1.ConditionTrue
	for _, mark := range marks {
		if mark == "down" {
			status = metav1.ConditionUnknown
			continue
		}
		key, value, _ := strings.Cut(mark, "=")
		c.Labels[key] = value
	}
	c.Status.Conditions = []metav1.Condition{{Type: clusterv1.ManagedClusterConditionAvailable, Status: status}}
	return c
}

func clusterSet(name string) clusterv1beta2.ManagedClusterSet {
	return clusterv1beta2.ManagedClusterSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: clusterv1beta2.ManagedClusterSetSpec{ClusterSelector: clusterv1beta2.ManagedClusterSelector{
			SelectorType: clusterv1beta2.ExclusiveClusterSetLabel}},
	}
}

const setLabel = clusterv1beta2.ClusterSetLabel

func europe() fleet {
	return fleet{
		clusters: []clusterv1.ManagedCluster{
			cluster("prod-eu", setLabel+"=eu", "env=prod"), cluster("dev-eu", setLabel+"=eu", "env=dev"),
			cluster("dev-us", setLabel+"=us", "env=dev"),
		},
		sets: []clusterv1beta2.ManagedClusterSet{clusterSet("eu")},
	}
}

func TestSelectClusters(t *testing.T) {
	labelled := func(key, value string) corev1alpha1.ApplicationPlacement {
		return corev1alpha1.ApplicationPlacement{ClusterSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}}
	}
	named := func(names ...string) corev1alpha1.ApplicationPlacement {
		return corev1alpha1.ApplicationPlacement{Clusters: names}
	}
	decided := corev1alpha1.ApplicationPlacement{PlacementRef: &corev1alpha1.PlacementReference{Name: "p"}}
	cases := map[string]struct {
		placement corev1alpha1.ApplicationPlacement
		change    func(*fleet)
		want      []string
		problem   string
		says      string
	}{
		"Named":             {named("prod-eu", "dev-eu"), nil, []string{"dev-eu", "prod-eu"}, "", ""},
		"NamedUnknown":      {named("dev-eu", "prod-ue"), nil, []string{"dev-eu"}, condition.ReasonUnknownCluster, `"prod-ue"`},
		"NamedUnbound":      {named("dev-eu", "dev-us"), nil, []string{"dev-eu"}, condition.ReasonClusterNotBound, `"dev-us"`},
		"NamedNothingBound": {named("dev-eu"), func(f *fleet) { f.sets = nil }, nil, condition.ReasonClusterNotBound, "ManagedClusterSetBinding"},
		"Selector":          {labelled("env", "dev"), nil, []string{"dev-eu"}, "", ""},
		"SelectorAll":       {corev1alpha1.ApplicationPlacement{ClusterSelector: &metav1.LabelSelector{}}, nil, []string{"dev-eu", "prod-eu"}, "", ""},
		"SelectorNothing":   {labelled("env", "test"), nil, nil, condition.ReasonNoClusters, "what was delivered stays"},
		"SelectorUnbound":   {labelled("env", "dev"), func(f *fleet) { f.sets = nil }, nil, condition.ReasonNoClusters, "ManagedClusterSetBinding"},
		"Placement":         {decided, func(f *fleet) { f.decided = sets.New("prod-eu", "dev-us") }, []string{"prod-eu"}, "", ""},
		"PlacementNothing":  {decided, func(f *fleet) { f.decided = sets.New[string]() }, nil, condition.ReasonNoClusters, "what was delivered stays"},
		"PlacementGone":     {decided, func(f *fleet) { f.decided = sets.New("no-such") }, nil, condition.ReasonNoClusters, "what was delivered stays"},
		"GlobalSet": {corev1alpha1.ApplicationPlacement{ClusterSelector: &metav1.LabelSelector{}}, func(f *fleet) {
			global := clusterSet("global")
			global.Spec.ClusterSelector = clusterv1beta2.ManagedClusterSelector{
				SelectorType: clusterv1beta2.LabelSelector, LabelSelector: &metav1.LabelSelector{}}
			f.sets = []clusterv1beta2.ManagedClusterSet{global}
		}, []string{"dev-eu", "dev-us", "prod-eu"}, "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := europe()
			if c.change != nil {
				c.change(&f)
			}
			got, err := selectClusters(c.placement, f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.clusters); diff != "" {
				t.Error(diff)
			}
			switch {
			case c.problem == "" && got.problem != nil:
				t.Errorf("unexpected problem %+v", *got.problem)
			case c.problem != "" && (got.problem == nil || got.problem.reason != c.problem || !strings.Contains(got.problem.message, c.says)):
				t.Errorf("got problem %+v, want %s that says %s", got.problem, c.problem, c.says)
			}
		})
	}
}

// What leaves a placement is removed only where that is plainly meant.
func TestSortWorks(t *testing.T) {
	content, err := dispatch.NewContent(object("shop-web"), componentResource)
	if err != nil {
		t.Fatal(err)
	}
	wanted, other := content.WorkName(), dispatch.WorkName("Component", "shop", "shop-old")
	cases := map[string]struct {
		clusters []clusterv1.ManagedCluster
		chosen   []string
		work     dispatch.Work
		want     string
	}{
		"Wanted":              {europe().clusters, []string{"dev-eu"}, dispatch.Work{Cluster: "dev-eu", Name: wanted}, "stays"},
		"ComponentLeftSpec":   {europe().clusters, []string{"dev-eu"}, dispatch.Work{Cluster: "dev-eu", Name: other}, "leaves"},
		"DeselectedAvailable": {europe().clusters, []string{"dev-eu"}, dispatch.Work{Cluster: "prod-eu", Name: wanted}, "leaves"},
		"DeselectedDown":      {[]clusterv1.ManagedCluster{cluster("prod-eu", setLabel+"=eu", "down")}, []string{"dev-eu"}, dispatch.Work{Cluster: "prod-eu", Name: wanted}, "owed"},
		"DeselectedUnbound":   {europe().clusters, []string{"dev-eu"}, dispatch.Work{Cluster: "dev-us", Name: wanted}, "owed"},
		"ClusterGone":         {europe().clusters, []string{"dev-eu"}, dispatch.Work{Cluster: "gone", Name: wanted}, "stays"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := plan{clusters: c.chosen, contents: map[string]*dispatch.Content{"web": content}}
			f := fleet{clusters: c.clusters, sets: europe().sets}
			leave, owed, err := sortWorks([]dispatch.Work{c.work}, p, f)
			if err != nil {
				t.Fatal(err)
			}
			got := "stays"
			if len(leave) == 1 {
				got = "leaves"
			}
			if len(owed) == 1 {
				got = "owed"
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
