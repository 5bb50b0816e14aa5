// Package rbac gives work agents the identities and rights that Open Cluster Management gives
// them, so that what is forbidden there is forbidden in a fleet too.
package rbac

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"text/template"

	"k8s.io/client-go/rest"

	"wheelwright.dev/wheelwright/fleet/apply"
)

const (
	// AgentNamespace is where the agents of a managed cluster run.
	AgentNamespace = "open-cluster-management-agent"
	// SpokeServiceAccount is the work agent's identity on its cluster, in AgentNamespace.
	SpokeServiceAccount = "klusterlet-work-sa"
	// HubServiceAccount is the work agent's identity on the hub, in its cluster's namespace.
	HubServiceAccount = "work-agent"
	// AggregateLabel, with the value "true", adds the rules of a ClusterRole on a managed
	// cluster to what the work agent may apply there.
	AggregateLabel = "open-cluster-management.io/aggregate-to-work"
)

var (
	//go:embed spoke/work-agent.yaml
	spokeManifests []byte
	//go:embed hub/work-agent.yaml
	hubManifests string
)

// InstallSpoke creates, or puts right, the work agent's identity and rights on a managed cluster.
func InstallSpoke(ctx context.Context, spokeConfig *rest.Config) error {
	if err := applyAll(ctx, spokeConfig, bytes.NewReader(spokeManifests)); err != nil {
		return fmt.Errorf("cannot give the work agent its rights on the cluster: %w", err)
	}
	return nil
}

// InstallHub creates, or puts right, the identity and rights on the hub of one cluster's work
// agent, and the cluster's namespace.
func InstallHub(ctx context.Context, hubConfig *rest.Config, cluster string) error {
	parsed, err := template.New("hub").Parse(hubManifests)
	if err != nil {
		return fmt.Errorf("cannot parse the manifests of a work agent's rights on the hub: %w", err)
	}
	var manifests bytes.Buffer
	if err := parsed.Execute(&manifests, struct{ Cluster string }{cluster}); err != nil {
		return fmt.Errorf("cannot fill in the work agent's rights for cluster %s: %w", cluster, err)
	}
	if err := applyAll(ctx, hubConfig, &manifests); err != nil {
		return fmt.Errorf("cannot give the work agent of cluster %s its rights on the hub: %w", cluster, err)
	}
	return nil
}

// applyAll applies a stream of YAML documents in its order.
func applyAll(ctx context.Context, config *rest.Config, manifests io.Reader) error {
	objects, err := apply.Decode(manifests)
	if err != nil {
		return err
	}
	return apply.Objects(ctx, config, objects)
}
