package fleet

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"

	"wheelwright.dev/wheelwright/fleet/apply"
	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/ocm/admission"
	"wheelwright.dev/wheelwright/fleet/ocm/rbac"
	"wheelwright.dev/wheelwright/fleet/ocm/registration"
	"wheelwright.dev/wheelwright/fleet/ocm/work"
)

// workAgentQPS lets a work agent deliver some 150 new works a second. OCM's default of 50 requests spares a hub that many
// clusters share; here it would only be waited for.
const workAgentQPS = 500

// workAgent is a running stand-in of OCM's work agent.
type workAgent struct {
	stop context.CancelFunc
	done chan struct{}
}

// installOCM makes the hub a hub and joins the spokes.
func (f *Embedded) installOCM(ctx context.Context, assets build.Assets) error {
	return f.options.step("OCM: work, clusters and their sets", func() error {
		if err := applyFolder(ctx, f.hub, assets.HubCRDs()); err != nil {
			return err
		}
		if err := f.serveAdmission(ctx); err != nil {
			return err
		}
		hub, err := registration.NewHub(f.hub.RESTConfig())
		if err != nil {
			return err
		}
		f.goUntilEnd("registration on the hub", hub.Run)
		group, ctx := errgroup.WithContext(ctx)
		for _, spoke := range f.options.Spokes {
			group.Go(func() error { return f.join(ctx, assets, spoke) })
		}
		return group.Wait()
	})
}

func (f *Embedded) join(ctx context.Context, assets build.Assets, spoke Spoke) error {
	plane := f.spokes[spoke.Name]
	if err := applyFolder(ctx, plane, assets.SpokeCRDs()); err != nil {
		return err
	}
	if err := registration.Join(ctx, f.hub.RESTConfig(), registration.Cluster{Name: spoke.Name, Labels: spoke.Labels}); err != nil {
		return fmt.Errorf("joining cluster %s: %w", spoke.Name, err)
	}
	agent, err := registration.NewAgent(registration.AgentOptions{
		HubConfig: f.hub.RESTConfig(), SpokeConfig: plane.RESTConfig(), ClusterName: spoke.Name,
	})
	if err != nil {
		return err
	}
	f.goUntilEnd("registration of "+spoke.Name, agent.Run)
	if err := registration.AwaitAvailable(ctx, f.hub.RESTConfig(), spoke.Name); err != nil {
		return err
	}
	if err := rbac.InstallHub(ctx, f.hub.RESTConfig(), spoke.Name); err != nil {
		return err
	}
	if err := rbac.InstallSpoke(ctx, plane.RESTConfig()); err != nil {
		return err
	}
	return f.StartWorkAgent(ctx, spoke.Name)
}

// StartWorkAgent starts the work agent of a spoke, with no more rights than OCM's own has.
func (f *Embedded) StartWorkAgent(ctx context.Context, name string) error {
	plane := f.spokes[name]
	hubConfig, err := f.identity(ctx, f.hub, name, rbac.HubServiceAccount, "work-agent-"+name)
	if err != nil {
		return err
	}
	spokeConfig, err := f.identity(ctx, plane, rbac.AgentNamespace, rbac.SpokeServiceAccount, "work-agent")
	if err != nil {
		return err
	}
	agent, err := work.New(work.Options{
		HubConfig: hubConfig, SpokeConfig: spokeConfig, ClusterName: name, Feedback: f.options.Feedback,
		StatusSyncInterval: f.options.PollInterval, QPS: workAgentQPS, Burst: 2 * workAgentQPS,
	})
	if err != nil {
		return err
	}
	life, stop := context.WithCancel(f.life)
	running := &workAgent{stop: stop, done: make(chan struct{})}
	f.mu.Lock()
	f.workAgents[name] = running
	f.mu.Unlock()
	f.group.Go(func() {
		defer close(running.done)
		if err := agent.Run(life); err != nil && life.Err() == nil {
			f.end(fmt.Errorf("work agent of %s: %w", name, err))
		}
	})
	return nil
}

// StopWorkAgent ends the work agent of a spoke as a crash does, and returns when it is gone.
func (f *Embedded) StopWorkAgent(name string) {
	f.mu.Lock()
	agent := f.workAgents[name]
	f.mu.Unlock()
	agent.stop()
	<-agent.done
}

// identity is a client config with a ServiceAccount's token.
func (f *Embedded) identity(ctx context.Context, plane *embedded.ControlPlane, namespace, account, file string) (*rest.Config, error) {
	path := filepath.Join(plane.Dir(), file+".kubeconfig")
	if err := plane.TokenKubeconfig(ctx, namespace, account, path); err != nil {
		return nil, fmt.Errorf("taking on ServiceAccount %s/%s of %s: %w", namespace, account, plane.Name(), err)
	}
	return clientcmd.BuildConfigFromFlags("", path)
}

// serveAdmission serves what OCM's webhooks check, with a certificate of its own.
func (f *Embedded) serveAdmission(ctx context.Context) error {
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return fmt.Errorf("making the certificate of the admission webhooks: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return fmt.Errorf("reading the certificate of the admission webhooks: %w", err)
	}
	server, err := admission.Listen(ctx, admission.Options{HubConfig: f.hub.RESTConfig(), Certificate: pair})
	if err != nil {
		return err
	}
	f.goUntilEnd("admission webhooks", server.Serve)
	return admission.Install(ctx, f.hub.RESTConfig(), server.URL(), certificate)
}

// goUntilEnd runs a part of the fleet; one that fails ends the fleet.
func (f *Embedded) goUntilEnd(name string, run func(context.Context) error) {
	f.group.Go(func() {
		if err := run(f.life); err != nil && f.life.Err() == nil {
			f.end(fmt.Errorf("%s: %w", name, err))
		}
	})
}

func applyFolder(ctx context.Context, plane *embedded.ControlPlane, folder string) error {
	objects, err := apply.Folder(os.DirFS(folder))
	if err != nil {
		return err
	}
	if err := apply.Objects(ctx, plane.RESTConfig(), objects); err != nil {
		return fmt.Errorf("cluster %s: %w", plane.Name(), err)
	}
	return nil
}
