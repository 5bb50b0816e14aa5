// Package pods runs the pods of Deployments as processes of this machine, for clusters whose
// nodes are not real. A process gets what its container would get: the command, arguments,
// environment and volumes of the Deployment as it is in the cluster, and a token of its
// ServiceAccount, so that it has exactly the rights that were delivered with it.
//
// Like a kubelet, the package starts a process again when it ends and keeps tokens and mounted
// Secrets fresh; like the Deployment controller, it follows the Deployment: its replicas, a new
// pod template, its deletion.
package pods

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Options tell how to run the pods of a Deployment.
type Options struct {
	// Binaries are the host's programs by the command that the container names, either as it
	// stands there or its last path element: {"agent": "/src/bin/agent"}.
	Binaries map[string]string
	// LogDir is where the output of each pod goes, to <pod>.log. A folder <pod> beside that
	// holds what the pod sees: its kubeconfig, token and volumes. It is made when missing.
	LogDir string
	// ExtraArgs are appended to the container's arguments.
	ExtraArgs []string
	// ExtraEnv are KEY=value pairs that are added to the container's environment.
	ExtraEnv []string
	// OnExit is told of each end of a process that was not asked for, and of each failed try to
	// start one. It must not block. It may be nil.
	OnExit func(Exit)
}

// Deployment is a Deployment whose pods run as host processes.
type Deployment struct {
	config    *rest.Config
	client    kubernetes.Interface
	namespace string
	name      string
	options   Options

	life  context.Context
	end   context.CancelFunc
	group sync.WaitGroup

	// changing is held while pods are started and stopped, mu only to look at them.
	changing sync.Mutex
	mu       sync.Mutex
	object   *appsv1.Deployment // as it is in the cluster; nil when it is not there
	paused   bool
	pods     []*pod

	changes broadcast // of all that, and of each pod's state
}

// Run runs the pods of a Deployment that is in the cluster, and returns when all of them are
// ready. ctx bounds that; the pods run until Stop. config must be allowed to read the
// namespace's Deployments, ConfigMaps and Secrets and to create ServiceAccount tokens.
func Run(ctx context.Context, config *rest.Config, namespace, name string, options Options) (*Deployment, error) {
	d, err := newDeployment(config, namespace, name, options)
	if err != nil {
		return nil, err
	}
	if _, err := d.client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
		return nil, fmt.Errorf("run Deployment %s/%s: %w", namespace, name, err)
	}
	d.follow()
	if err := d.AwaitReady(ctx); err != nil {
		return nil, errors.Join(err, d.Stop(context.WithoutCancel(ctx)))
	}
	return d, nil
}

// Follow is Run for a Deployment that may come later, and does not wait: whenever the
// Deployment is in the cluster its pods run.
func Follow(config *rest.Config, namespace, name string, options Options) (*Deployment, error) {
	d, err := newDeployment(config, namespace, name, options)
	if err != nil {
		return nil, err
	}
	d.follow()
	return d, nil
}

func newDeployment(config *rest.Config, namespace, name string, options Options) (*Deployment, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("run Deployment %s/%s: %w", namespace, name, err)
	}
	if options.LogDir == "" {
		return nil, fmt.Errorf("run Deployment %s/%s: Options.LogDir is empty", namespace, name)
	}
	if options.LogDir, err = filepath.Abs(options.LogDir); err != nil {
		return nil, fmt.Errorf("run Deployment %s/%s: %w", namespace, name, err)
	}
	d := &Deployment{config: config, client: client, namespace: namespace, name: name, options: options}
	d.life, d.end = context.WithCancel(context.Background())
	return d, nil
}

// follow starts to keep the pods as the Deployment in the cluster says.
func (d *Deployment) follow() {
	factory := informers.NewSharedInformerFactoryWithOptions(d.client, 0,
		informers.WithNamespace(d.namespace),
		informers.WithTweakListOptions(func(list *metav1.ListOptions) {
			list.FieldSelector = fields.OneTermEqualSelector("metadata.name", d.name).String()
		}))
	informer := factory.Apps().V1().Deployments().Informer()
	// An API server that is down is nothing to print about: the watch goes on when it is back.
	_ = informer.SetWatchErrorHandler(func(*cache.Reflector, error) {})
	seen := make(chan *appsv1.Deployment)
	tell := func(object *appsv1.Deployment) {
		select {
		case seen <- object:
		case <-d.life.Done():
		}
	}
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell(object.(*appsv1.Deployment)) },
		UpdateFunc: func(_, object any) { tell(object.(*appsv1.Deployment)) },
		DeleteFunc: func(any) { tell(nil) },
	})
	d.group.Go(func() { informer.Run(d.life.Done()) })
	d.group.Go(func() {
		for {
			select {
			case <-d.life.Done():
				return
			case object := <-seen:
				d.observe(object)
			}
		}
	})
}

// observe notes the state of the Deployment and adjusts the pods to it.
func (d *Deployment) observe(object *appsv1.Deployment) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.mu.Lock()
	d.object = object
	d.mu.Unlock()
	_ = d.adjust(d.life) // a process that is stuck in the kernel shows in Pods
}

// adjust makes the pods those that there should be: it ends pods of another template and those
// too many, then starts those missing. The caller holds changing.
func (d *Deployment) adjust(ctx context.Context) error {
	d.mu.Lock()
	wanted := d.wantedReplicas()
	var keep, drop []*pod
	for _, p := range d.pods {
		if p.index < wanted && p.plays(d.object) {
			keep = append(keep, p)
		} else {
			drop = append(drop, p)
		}
	}
	d.mu.Unlock()
	err := stopAll(ctx, drop)

	d.mu.Lock()
	for index := range wanted {
		if !slices.ContainsFunc(keep, func(p *pod) bool { return p.index == index }) {
			keep = append(keep, d.startPod(index))
		}
	}
	d.pods = keep
	d.mu.Unlock()
	d.changes.announce()
	return err
}

// wantedReplicas is how many pods there should be. The caller holds mu.
func (d *Deployment) wantedReplicas() int {
	switch {
	case d.object == nil || d.paused || d.life.Err() != nil:
		return 0
	case d.object.Spec.Replicas == nil:
		return 1
	}
	return int(*d.object.Spec.Replicas)
}

// stopAll ends pods together.
func stopAll(ctx context.Context, pods []*pod) error {
	errs := make([]error, len(pods))
	var group sync.WaitGroup
	for i, p := range pods {
		group.Go(func() { errs[i] = p.stop(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}
