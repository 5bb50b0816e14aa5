package registration

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
)

func TestRemaining(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) *metav1.MicroTime { return &metav1.MicroTime{Time: now.Add(-d)} }
	for name, row := range map[string]struct {
		seconds int32
		renewed *metav1.MicroTime
		want    time.Duration
	}{
		"just renewed":     {60, ago(0), 5 * time.Minute},
		"renewed long ago": {60, ago(6 * time.Minute), -time.Minute},
		"default duration": {0, ago(4 * time.Minute), time.Minute},
		"short":            {1, ago(time.Second), 4 * time.Second},
		"never renewed":    {60, nil, -time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := &clusterv1.ManagedCluster{Spec: clusterv1.ManagedClusterSpec{LeaseDurationSeconds: row.seconds}}
			lease := &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{RenewTime: row.renewed}}
			if got := remaining(cluster, lease, now); got != row.want {
				t.Errorf("remaining %v, want %v", got, row.want)
			}
		})
	}
}

func TestWithTaints(t *testing.T) {
	now := metav1.Now()
	foreign := clusterv1.Taint{Key: "example.com/foreign", Effect: clusterv1.TaintEffectNoSelect}
	taint := func(key string) clusterv1.Taint {
		return clusterv1.Taint{Key: key, Effect: clusterv1.TaintEffectNoSelect, TimeAdded: now}
	}
	unreachable, unavailable := taint(clusterv1.ManagedClusterTaintUnreachable), taint(clusterv1.ManagedClusterTaintUnavailable)
	for name, row := range map[string]struct {
		taints []clusterv1.Taint
		status metav1.ConditionStatus // "": no condition
		want   []clusterv1.Taint
	}{
		"never seen":             {[]clusterv1.Taint{foreign}, "", []clusterv1.Taint{foreign, unreachable}},
		"lease expired":          {nil, "Unknown", []clusterv1.Taint{unreachable}},
		"API server down":        {[]clusterv1.Taint{unreachable}, "False", []clusterv1.Taint{unavailable}},
		"back":                   {[]clusterv1.Taint{unreachable, foreign}, "True", []clusterv1.Taint{foreign}},
		"unreachable for long":   {[]clusterv1.Taint{unreachable}, "Unknown", []clusterv1.Taint{unreachable}},
		"available as it should": {[]clusterv1.Taint{foreign}, "True", []clusterv1.Taint{foreign}},
	} {
		t.Run(name, func(t *testing.T) {
			var conditions []metav1.Condition
			if row.status != "" {
				conditions = []metav1.Condition{{Type: clusterv1.ManagedClusterConditionAvailable, Status: row.status}}
			}
			if diff := cmp.Diff(row.want, withTaints(row.taints, conditions, now.Time)); diff != "" {
				t.Errorf("taints (-want +got):\n%s", diff)
			}
		})
	}
}
