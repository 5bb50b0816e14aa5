package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/pods"
)

// Embedded is a fleet of real Kubernetes control planes as processes on loopback. OCM is stood in for by fleet/ocm, nodes
// by kwok, and our own pods run as host processes, from the Deployments and with the ServiceAccounts that are delivered.
type Embedded struct {
	options Options
	hub     *embedded.ControlPlane
	spokes  map[string]*embedded.ControlPlane

	// life ends with the fleet; its cause is what ended it. group owns every goroutine of the fleet.
	life  context.Context
	end   context.CancelCauseFunc
	group sync.WaitGroup

	mu         sync.Mutex
	pods       map[string]*pods.Deployment
	workAgents map[string]*workAgent
}

var errStopped = errors.New("the fleet was stopped")

// Up starts an embedded fleet and returns when every part of it is ready. A start that fails, or whose ctx ends, leaves no
// process behind. Binaries must have been built: see package build.
func Up(ctx context.Context, assets build.Assets, binaries string, options Options) (f *Embedded, err error) {
	options, err = options.complete()
	if err != nil {
		return nil, err
	}
	f = &Embedded{
		options: options, spokes: map[string]*embedded.ControlPlane{},
		pods: map[string]*pods.Deployment{}, workAgents: map[string]*workAgent{},
	}
	f.life, f.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Stop(context.WithoutCancel(ctx)))
		}
	}()
	// A part that ends by itself ends the start too.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(f.life, func() { cancel(context.Cause(f.life)) })()

	if err := f.startControlPlanes(ctx, assets); err != nil {
		return f, err
	}
	if err := f.installOCM(ctx, assets); err != nil {
		return f, err
	}
	if options.WithoutWheelwright {
		return f, nil
	}
	return f, f.installWheelwright(ctx, binaries)
}

func (f *Embedded) startControlPlanes(ctx context.Context, assets build.Assets) error {
	names := []string{f.options.Hub}
	for _, spoke := range f.options.Spokes {
		names = append(names, spoke.Name)
	}
	planes := make([]*embedded.ControlPlane, len(names))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, name := range names {
		group.Go(func() error {
			return f.options.step("control plane "+name, func() error {
				port := 0
				if i == 0 {
					port = f.options.HubPort
				}
				var err error
				planes[i], err = embedded.Start(groupCtx, embedded.Options{
					Name: name, Dir: filepath.Join(f.options.Dir, name), Assets: assets, APIServerPort: port,
				})
				return err
			})
		})
	}
	err := group.Wait()
	f.hub = planes[0]
	for i, spoke := range f.options.Spokes {
		if planes[i+1] != nil {
			f.spokes[spoke.Name] = planes[i+1]
		}
	}
	if err != nil {
		return err
	}
	for _, plane := range planes {
		f.watch(plane)
	}
	return f.writeKubeconfig()
}

// watch ends the fleet when a control plane ends by itself.
func (f *Embedded) watch(plane *embedded.ControlPlane) {
	f.group.Go(func() {
		select {
		case <-plane.Done():
			if err := plane.Err(); err != nil {
				f.end(fmt.Errorf("control plane %s: %w", plane.Name(), err))
			}
		case <-f.life.Done():
		}
	})
}

// Hub is the fleet's hub.
func (f *Embedded) Hub() Cluster { return clusterOf(f.hub) }

// Spokes are the fleet's other clusters.
func (f *Embedded) Spokes() []Cluster {
	var clusters []Cluster
	for _, spoke := range f.options.Spokes {
		clusters = append(clusters, clusterOf(f.spokes[spoke.Name]))
	}
	return clusters
}

// ControlPlane is the control plane of the hub or of a spoke, for faults; nil where there is none of that name.
func (f *Embedded) ControlPlane(name string) *embedded.ControlPlane {
	if name == f.options.Hub {
		return f.hub
	}
	return f.spokes[name]
}

func clusterOf(plane *embedded.ControlPlane) Cluster {
	return Cluster{Name: plane.Name(), Kubeconfig: plane.Kubeconfig(), Config: plane.RESTConfig()}
}

// Done is closed when the fleet has ended.
func (f *Embedded) Done() <-chan struct{} { return f.life.Done() }

// Err is what ended the fleet by itself; nil while it runs and after Stop.
func (f *Embedded) Err() error {
	if cause := context.Cause(f.life); cause != nil && !errors.Is(cause, errStopped) {
		return cause
	}
	return nil
}

// Stop ends everything, clients before the servers that they use, and returns when no process is left.
func (f *Embedded) Stop(ctx context.Context) error {
	f.end(errStopped)
	var failures []error
	f.mu.Lock()
	for _, pod := range f.pods {
		failures = append(failures, pod.Stop(ctx))
	}
	f.mu.Unlock()
	f.group.Wait()
	for _, plane := range append(f.spokePlanes(), f.hub) {
		if plane != nil {
			failures = append(failures, plane.Stop(ctx))
		}
	}
	return errors.Join(failures...)
}

func (f *Embedded) spokePlanes() []*embedded.ControlPlane {
	var planes []*embedded.ControlPlane
	for _, spoke := range f.options.Spokes {
		planes = append(planes, f.spokes[spoke.Name])
	}
	return planes
}
