package conformance

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"wheelwright.dev/wheelwright/fleet/ocm/work"
)

// agentBinary is OCM's work agent, when the rows are to run against it.
func agentBinary() string { return os.Getenv("WORK_AGENT") }

// canResync tells whether the agent under test can be told to apply again sooner than it does
// by default, which OCM's cannot.
func canResync() bool { return agentBinary() == "" }

// agentOptions are what a row may ask of the agent under test.
type agentOptions struct {
	hubKubeconfig   string
	spokeKubeconfig string
	cluster         string
	agentID         string
	statusInterval  time.Duration
	evictionGrace   time.Duration
	maxWatches      int           // 0: the default
	resync          time.Duration // 0: the default; only where canResync
	pollOnly        bool          // only of the stand-in
}

// agent is a running work agent.
type agent interface {
	// stop ends the agent at once, as a crash does, and waits for its end.
	stop() error
}

func startAgent(options agentOptions) (agent, error) {
	if agentBinary() != "" {
		return startBinary(options)
	}
	return startStandIn(options)
}

// standIn is this project's agent, in this process.
type standIn struct {
	cancel context.CancelFunc
	ended  chan error
}

func startStandIn(options agentOptions) (agent, error) {
	hubConfig, err := clientcmd.BuildConfigFromFlags("", options.hubKubeconfig)
	if err != nil {
		return nil, err
	}
	spokeConfig, err := clientcmd.BuildConfigFromFlags("", options.spokeKubeconfig)
	if err != nil {
		return nil, err
	}
	mode := work.HonourWatch
	if options.pollOnly {
		mode = work.PollOnly
	}
	standin, err := work.New(work.Options{
		Feedback:            mode,
		HubConfig:           hubConfig,
		SpokeConfig:         spokeConfig,
		ClusterName:         options.cluster,
		AgentID:             options.agentID,
		StatusSyncInterval:  options.statusInterval,
		EvictionGracePeriod: options.evictionGrace,
		MaxFeedbackWatch:    options.maxWatches,
		ResyncInterval:      options.resync,
	})
	if err != nil {
		return nil, err
	}
	return run(standin), nil
}

func run(standin *work.Agent) *standIn {
	ctx, cancel := context.WithCancel(context.Background())
	running := &standIn{cancel: cancel, ended: make(chan error, 1)}
	go func() { running.ended <- standin.Run(ctx) }()
	return running
}

func (s *standIn) stop() error {
	s.cancel()
	return <-s.ended
}

// binary is OCM's agent, as a process.
type binary struct{ command *exec.Cmd }

func startBinary(options agentOptions) (agent, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(filepath.Dir(options.hubKubeconfig), fmt.Sprintf("agent-%d.log", port)))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(agentBinary(), "agent",
		"--kubeconfig="+options.spokeKubeconfig,
		"--spoke-cluster-name="+options.cluster,
		"--agent-id="+options.agentID,
		"--workload-source-driver=kube",
		"--workload-source-config="+options.hubKubeconfig,
		"--namespace=open-cluster-management-agent",
		"--disable-leader-election",
		fmt.Sprintf("--listen=127.0.0.1:%d", port),
		"--status-sync-interval="+options.statusInterval.String(),
		"--appliedmanifestwork-eviction-grace-period="+options.evictionGrace.String())
	if options.maxWatches != 0 {
		command.Args = append(command.Args, fmt.Sprintf("--max-feedback-watch=%d", options.maxWatches))
	}
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start OCM's work agent: %w", err)
	}
	return &binary{command}, nil
}

func (b *binary) stop() error {
	if err := b.command.Process.Kill(); err != nil {
		return err
	}
	_ = b.command.Wait() // says that it was killed
	return nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// mustStop ends the agent with the test.
func mustStop(t *testing.T, running agent) {
	t.Helper()
	if err := running.stop(); err != nil {
		t.Errorf("the agent has ended with an error: %v", err)
	}
}
