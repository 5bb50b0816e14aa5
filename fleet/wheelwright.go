package fleet

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/fleet/apply"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/pods"
	"wheelwright.dev/wheelwright/manifests"
)

// Where Wheelwright's own Deployments are.
const (
	Namespace       = "wheelwright-system"
	HubDeployment   = "wheelwright-hub"
	AgentDeployment = "wheelwright-agent"
)

// installWheelwright installs what is delivered and runs the pods of its Deployments.
func (f *Embedded) installWheelwright(ctx context.Context, binaries string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return f.options.step("hub manager", func() error { return f.installSide(ctx, f.hub, "hub", binaries) })
	})
	for _, plane := range f.spokePlanes() {
		group.Go(func() error {
			return f.options.step("agent on "+plane.Name(), func() error { return f.installSide(ctx, plane, "agent", binaries) })
		})
	}
	return group.Wait()
}

func (f *Embedded) installSide(ctx context.Context, plane *embedded.ControlPlane, side, binaries string) error {
	objects, err := delivered(side)
	if err != nil {
		return err
	}
	if err := apply.Objects(ctx, plane.RESTConfig(), objects); err != nil {
		return fmt.Errorf("installing Wheelwright on %s: %w", plane.Name(), err)
	}
	return f.startPods(ctx, plane.Name(), binaries)
}

// Pods of Wheelwright's Deployment on the hub or a spoke, for faults.
func (f *Embedded) Pods(cluster string) *pods.Deployment {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pods[cluster]
}

// startPods runs the pods of Wheelwright's Deployment on the hub or a spoke and returns when they are ready.
func (f *Embedded) startPods(ctx context.Context, cluster, binaries string) error {
	plane, deployment := f.ControlPlane(cluster), AgentDeployment
	if cluster == f.options.Hub {
		deployment = HubDeployment
	}
	running, err := pods.Run(ctx, plane.RESTConfig(), Namespace, deployment, pods.Options{
		Binaries: map[string]string{"/hub": filepath.Join(binaries, "hub"), "/agent": filepath.Join(binaries, "agent")},
		LogDir:   filepath.Join(plane.Dir(), "logs"),
	})
	if err != nil {
		return fmt.Errorf("running %s on %s: %w", deployment, cluster, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pods[cluster] = running
	return nil
}

// delivered are the objects of one side's kustomization, in its order.
func delivered(side string) ([]*unstructured.Unstructured, error) {
	var kustomization struct {
		Resources []string `json:"resources"`
	}
	content, err := manifests.FS.ReadFile(side + "/kustomization.yaml")
	if err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(content, &kustomization); err != nil {
		return nil, fmt.Errorf("reading the kustomization of the %s: %w", side, err)
	}
	var objects []*unstructured.Unstructured
	for _, resource := range kustomization.Resources {
		file, err := manifests.FS.Open(path.Join(side, resource))
		if err != nil {
			return nil, err
		}
		some, err := apply.Decode(file)
		if err != nil {
			return nil, fmt.Errorf("reading manifests %s: %w", resource, err)
		}
		objects = append(objects, some...)
	}
	return objects, nil
}
