package pods

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"wheelwright.dev/wheelwright/fleet/process"
)

// errKilled is why a process ended that Kill has ended.
var errKilled = errors.New("killed on request")

// refresh is how often mounted ConfigMaps and Secrets are read again; a kubelet takes a minute.
const refresh = 5 * time.Second

// Exit tells of a process that has ended, or could not be started.
type Exit struct {
	// Pod is the name of the pod.
	Pod string
	// Err is what happened: a *process.ExitError after the end of a process.
	Err error
	// RetryIn is when the next process of the pod is started; 0 is at once, and negative never,
	// since the Deployment asks for something that a host process cannot have.
	RetryIn time.Duration
}

// pod keeps one process running.
type pod struct {
	deployment *Deployment
	index      int
	name       string
	spec       corev1.PodSpec
	dir        string

	life context.Context
	end  context.CancelFunc
	done chan struct{}
	// login is made by the first run; only the run under way uses it.
	login *identity
	// endErr is why the process could not be ended; it may be read once done is closed.
	endErr error

	mu       sync.Mutex
	process  *process.Process
	ready    bool
	restarts int
	failures int // ends since it was last ready
	lastExit error
}

// startPod starts a pod of the Deployment as it is now. The caller holds the Deployment's mu.
func (d *Deployment) startPod(index int) *pod {
	name := fmt.Sprintf("%s-%d", d.name, index)
	p := &pod{
		deployment: d,
		index:      index,
		name:       name,
		spec:       *d.object.Spec.Template.Spec.DeepCopy(),
		dir:        filepath.Join(d.options.LogDir, name),
		done:       make(chan struct{}),
	}
	p.life, p.end = context.WithCancel(d.life)
	d.group.Go(func() {
		defer close(p.done)
		p.keepRunning()
	})
	return p
}

// plays reports whether the pod is of the Deployment's present template.
func (p *pod) plays(object *appsv1.Deployment) bool {
	return equality.Semantic.DeepEqual(p.spec, object.Spec.Template.Spec)
}

// stop ends the pod's process as a kubelet does and returns when it is gone; ctx cuts its grace
// short. It fails when the process is stuck inside the kernel.
func (p *pod) stop(ctx context.Context) error {
	p.end()
	select {
	case <-p.done:
		return p.endErr
	case <-ctx.Done():
	}
	err := p.kill()
	<-p.done
	return err
}

// kill ends the pod's process at once, where one is running.
func (p *pod) kill() error {
	p.mu.Lock()
	current := p.process
	p.mu.Unlock()
	if current == nil {
		return nil
	}
	return current.Kill()
}

// keepRunning runs the process again and again until the pod is to end.
func (p *pod) keepRunning() {
	var pause backoff
	for {
		started := time.Now()
		err := p.runOnce()
		if p.life.Err() != nil {
			return
		}
		wait := pause.next(time.Since(started))
		if errors.Is(err, errUnplayable) {
			wait = -1
		}
		p.note(func() {
			p.lastExit, p.process, p.ready = err, nil, false
			p.restarts++
			p.failures++
		})
		if report := p.deployment.options.OnExit; report != nil {
			report(Exit{Pod: p.name, Err: err, RetryIn: wait})
		}
		if wait < 0 {
			<-p.life.Done()
			return
		}
		select {
		case <-p.life.Done():
			return
		case <-time.After(wait):
		}
	}
}

// runOnce runs one process to its end and returns why it ended, or could not be started.
func (p *pod) runOnce() error {
	plan, err := p.prepare()
	if err != nil {
		return err
	}
	// The process has its own end: when the pod's comes it is asked first.
	running, err := process.Start(context.WithoutCancel(p.life), process.Spec{
		Name:    "pod " + p.name,
		Path:    plan.path,
		Args:    plan.args,
		Env:     append(p.hostEnv(), append(plan.env, p.deployment.options.ExtraEnv...)...),
		Dir:     p.dir,
		LogFile: p.logFile(),
		Grace:   plan.grace,
	})
	if err != nil {
		return err
	}
	p.note(func() { p.process = running })
	attend, cancel := context.WithCancel(p.life)
	var attendants sync.WaitGroup
	attendants.Go(func() { p.probe(attend, plan.readyURL) })
	attendants.Go(func() { p.keepFresh(attend, plan) })
	select {
	case <-running.Done():
	case <-p.life.Done():
		p.endErr = running.Stop(context.WithoutCancel(p.life))
	}
	cancel()
	attendants.Wait()
	if err := running.Err(); err != nil {
		return err
	}
	return errKilled
}

// prepare makes everything that the process needs, as it is in the cluster now.
func (p *pod) prepare() (*plan, error) {
	d := p.deployment
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	plan, err := newPlan(p.life, p.identity(), p.spec, filepath.Join(p.dir, "volumes"), d.options)
	if err != nil {
		return nil, err
	}
	for _, m := range plan.mounts {
		// What an earlier run was given is good enough while the API server is down.
		if err := m.fill(p.life, p.identity().objects); err != nil && !m.filled() {
			return nil, err
		}
	}
	if p.login == nil {
		p.login, err = newIdentity(d.config, d.client, d.namespace, p.identity().serviceAccount, p.dir)
		if err != nil {
			return nil, err
		}
	}
	// Nor is a new token needed before it is due.
	if time.Now().Before(p.login.due) {
		return plan, nil
	}
	return plan, p.login.renew(p.life)
}

func (p *pod) identity() podIdentity {
	d := p.deployment
	account := p.spec.ServiceAccountName
	if account == "" {
		account = "default"
	}
	return podIdentity{
		namespace: d.namespace, name: p.name, serviceAccount: account,
		objects: clusterObjects{client: d.client, namespace: d.namespace},
	}
}

// hostEnv is what the process has besides its container's environment.
func (p *pod) hostEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TMPDIR=" + os.TempDir(),
		"HOSTNAME=" + p.name, "KUBECONFIG=" + p.login.kubeconfig,
	}
}

// keepFresh renews the token when it is due, and what is mounted when it has changed, until ctx
// ends. What fails is tried again at the next round: the process goes on with what it has.
func (p *pod) keepFresh(ctx context.Context, plan *plan) {
	volumes := time.NewTicker(refresh)
	defer volumes.Stop()
	token := time.NewTimer(time.Until(p.login.due))
	defer token.Stop()
	objects := p.identity().objects
	for {
		select {
		case <-ctx.Done():
			return
		case <-volumes.C:
			for _, m := range plan.mounts {
				_ = m.fill(ctx, objects)
			}
		case <-token.C:
			if err := p.login.renew(ctx); err != nil {
				token.Reset(refresh)
			} else {
				token.Reset(time.Until(p.login.due))
			}
		}
	}
}

// note changes the pod's state and wakes who waits for a change.
func (p *pod) note(change func()) {
	p.mu.Lock()
	change()
	p.mu.Unlock()
	p.deployment.changes.announce()
}

func (p *pod) logFile() string {
	return filepath.Join(p.deployment.options.LogDir, p.name+".log")
}
