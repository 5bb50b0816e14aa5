// Package readings shows how an Application stands on its clusters, by the hub's own reading.
package readings

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Row is one component on one cluster.
type Row struct {
	Component string    `json:"component"`
	Cluster   string    `json:"cluster"`
	State     string    `json:"state"`
	Reason    string    `json:"reason,omitempty"`
	Revision  string    `json:"revision,omitempty"`
	Since     time.Time `json:"since,omitzero"`
}

// List reads the Application's works and joins them with what the hub says of them in its status. A component that is in
// no work and not mentioned has not been dispatched yet.
func List(ctx context.Context, hubClient client.Client, app *corev1alpha1.Application) ([]Row, error) {
	works := &workv1.ManifestWorkList{}
	err := hubClient.List(ctx, works, client.MatchingLabels{dispatch.OwnerUIDLabel: string(app.UID)})
	if err != nil {
		return nil, fmt.Errorf("listing the works of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	return Join(app, works.Items), nil
}

// Join is List for what was read already. A pair is healthy when the hub speaks of this generation and does not name it
// among those that are not.
func Join(app *corev1alpha1.Application, works []workv1.ManifestWork) []Row {
	offenders := map[[2]string]corev1alpha1.ComponentReading{}
	for _, o := range app.Status.Offenders {
		offenders[[2]string{o.Component, o.Cluster}] = o
	}
	var rows []Row
	for i := range works {
		row := Row{
			Component: componentOf(app, &works[i]), Cluster: works[i].Namespace,
			Revision: dispatch.Revision(&works[i]), Since: since(&works[i]),
		}
		key := [2]string{row.Component, row.Cluster}
		row.State, row.Reason = stateOf(app, offenders, key)
		delete(offenders, key)
		rows = append(rows, row)
	}
	for key, o := range offenders {
		rows = append(rows, Row{Component: key[0], Cluster: key[1], State: o.State, Reason: o.Reason})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Component, b.Component), cmp.Compare(a.Cluster, b.Cluster))
	})
	return rows
}

func stateOf(app *corev1alpha1.Application, offenders map[[2]string]corev1alpha1.ComponentReading, key [2]string) (state, reason string) {
	counts := app.Status.Counts
	named := int(counts.Unhealthy+counts.Unknown) == len(app.Status.Offenders)
	offender, bad := offenders[key]
	switch {
	case app.Status.ObservedGeneration != app.Generation || app.Status.AcceptedGeneration != app.Generation:
		return string(dispatch.Unknown), "NotReadYet"
	case bad:
		return offender.State, offender.Reason
	case !named:
		return string(dispatch.Unknown), "NotNamed"
	}
	return string(dispatch.Healthy), ""
}

func componentOf(app *corev1alpha1.Application, work *workv1.ManifestWork) string {
	_, name, _ := strings.Cut(work.Annotations[dispatch.ObjectAnnotation], "/")
	return strings.TrimPrefix(name, app.Name+"-")
}

// since is when the spoke's last answer changed, as OCM records it.
func since(work *workv1.ManifestWork) time.Time {
	for _, manifest := range work.Status.ResourceStatus.Manifests {
		if c := meta.FindStatusCondition(manifest.Conditions, "StatusFeedbackSynced"); c != nil {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// Print writes the rows as a table.
func Print(out io.Writer, rows []Row, now time.Time) error {
	table := tabwriter.NewWriter(out, 2, 0, 3, ' ', 0)
	fmt.Fprintln(table, "COMPONENT\tCLUSTER\tSTATE\tREVISION\tSINCE")
	for _, row := range rows {
		state := row.State
		if row.Reason != "" && row.Reason != row.State {
			state += " (" + row.Reason + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", row.Component, row.Cluster, state, cmp.Or(row.Revision, "-"), age(row.Since, now))
	}
	return table.Flush()
}

func age(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return now.Sub(since).Round(time.Second).String()
}
