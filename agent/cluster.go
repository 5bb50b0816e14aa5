package agent

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/client-go/discovery"
	ctrl "sigs.k8s.io/controller-runtime"

	"wheelwright.dev/wheelwright/agent/render"
)

// clusterVersion asks the API server for its version, which definitions may choose API versions by. A cluster that is
// upgraded is asked again when the agent's pod moves.
func clusterVersion(mgr ctrl.Manager) (render.Cluster, error) {
	client, err := discovery.NewDiscoveryClientForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return render.Cluster{}, fmt.Errorf("making a discovery client: %w", err)
	}
	version, err := client.ServerVersion()
	if err != nil {
		return render.Cluster{}, fmt.Errorf("reading the cluster's version: %w", err)
	}
	// Some clusters state it as 33+. One that is no number is 0, as KubeVela has it.
	minor, _ := strconv.Atoi(strings.TrimRight(version.Minor, ".+-/?!"))
	return render.Cluster{Major: version.Major, Minor: minor, GitVersion: version.GitVersion, Platform: version.Platform}, nil
}
