package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wheelwright.dev/wheelwright/fleet/process"
)

const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kwok              = "kwok"
)

// frontProxyUser is the name in the certificate of the aggregation layer.
const frontProxyUser = "front-proxy-client"

// controllers is what kube-controller-manager runs: all of its default ones except those that
// serve clouds, real nodes and volumes, or metrics that nobody provides here, and the two
// non-default ones that look after bootstrap tokens.
var controllers = []string{
	"*", "bootstrap-signer-controller", "token-cleaner-controller",
	"-horizontal-pod-autoscaler-controller",
	"-node-ipam-controller", "-node-route-controller", "-service-lb-controller",
	"-taint-eviction-controller", "-device-taint-eviction-controller", "-ttl-controller",
	"-resourceclaim-controller",
	"-persistentvolume-attach-detach-controller", "-persistentvolume-expander-controller",
	"-ephemeral-volume-controller", "-legacy-serviceaccount-token-cleaner-controller",
}

// spec describes one of the programs of the control plane.
func (c *ControlPlane) spec(program string) process.Spec {
	args := map[string]func() []string{
		etcd:              c.etcdArgs,
		apiServer:         c.apiServerArgs,
		controllerManager: c.controllerManagerArgs,
		scheduler:         c.schedulerArgs,
		kwok:              c.kwokArgs,
	}[program]()
	return process.Spec{
		Name: fmt.Sprintf("%s of control plane %q", program, c.name),
		Path: c.options.Assets.Binary,
		Args: append([]string{program}, args...),
		// Nothing of the user's configuration may reach the programs: neither a proxy between
		// them nor a ~/.kwok/kwok.yaml.
		Env:     []string{"HOME=" + c.options.Dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()},
		Dir:     c.options.Dir,
		LogFile: c.LogFile(program),
	}
}

func (c *ControlPlane) pkiFile(name string) string { return filepath.Join(c.options.Dir, "pki", name) }

func (c *ControlPlane) dataDir() string { return filepath.Join(c.options.Dir, "etcd") }

func (c *ControlPlane) kubeconfigFile(user string) string {
	return filepath.Join(c.options.Dir, user+".kubeconfig")
}

func (c *ControlPlane) etcdArgs() []string {
	client := fmt.Sprintf("https://127.0.0.1:%d", c.ports.etcdClient)
	peer := fmt.Sprintf("https://127.0.0.1:%d", c.ports.etcdPeer)
	return []string{
		"--name=" + c.name,
		"--data-dir=" + c.dataDir(),
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=" + c.name + "=" + peer,
		"--cert-file=" + c.pkiFile("etcd.crt"),
		"--key-file=" + c.pkiFile("etcd.key"),
		"--client-cert-auth",
		"--trusted-ca-file=" + c.pkiFile("etcd-ca.crt"),
		"--peer-cert-file=" + c.pkiFile("etcd.crt"),
		"--peer-key-file=" + c.pkiFile("etcd.key"),
		"--peer-client-cert-auth",
		"--peer-trusted-ca-file=" + c.pkiFile("etcd-ca.crt"),
		// The data is thrown away with the control plane.
		"--unsafe-no-fsync",
		// A single member waits this long for nobody before it elects itself.
		"--heartbeat-interval=10",
		"--election-timeout=50",
		"--log-level=warn",
	}
}

func (c *ControlPlane) apiServerArgs() []string {
	return []string{
		fmt.Sprintf("--etcd-servers=https://127.0.0.1:%d", c.ports.etcdClient),
		"--etcd-cafile=" + c.pkiFile("etcd-ca.crt"),
		"--etcd-certfile=" + c.pkiFile("etcd-client.crt"),
		"--etcd-keyfile=" + c.pkiFile("etcd-client.key"),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.ports.apiServer),
		"--cert-dir=" + c.pkiFile(""),
		"--tls-cert-file=" + c.pkiFile("apiserver.crt"),
		"--tls-private-key-file=" + c.pkiFile("apiserver.key"),
		"--client-ca-file=" + c.pkiFile("ca.crt"),
		"--requestheader-client-ca-file=" + c.pkiFile("front-proxy-ca.crt"),
		"--requestheader-allowed-names=" + frontProxyUser,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + c.pkiFile("front-proxy-client.crt"),
		"--proxy-client-key-file=" + c.pkiFile("front-proxy-client.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.pkiFile("sa.key"),
		"--service-account-signing-key-file=" + c.pkiFile("sa.key"),
		"--service-cluster-ip-range=" + serviceNetwork,
		"--authorization-mode=RBAC",
		"--enable-bootstrap-token-auth",
		"--allow-privileged",
		// There is no pod network in which a loopback endpoint would mean anything.
		"--endpoint-reconciler-type=none",
	}
}

func (c *ControlPlane) controllerManagerArgs() []string {
	return []string{
		"--kubeconfig=" + c.kubeconfigFile(controllerManager),
		"--secure-port=0",
		"--leader-elect=false",
		"--controllers=" + strings.Join(controllers, ","),
		// Without it, RBAC forbids the controllers most of what they have to do.
		"--use-service-account-credentials",
		"--service-account-private-key-file=" + c.pkiFile("sa.key"),
		"--root-ca-file=" + c.pkiFile("ca.crt"),
		"--cluster-signing-cert-file=" + c.pkiFile("ca.crt"),
		"--cluster-signing-key-file=" + c.pkiFile("ca.key"),
		"--kube-api-qps=200",
		"--kube-api-burst=400",
		// A machine that is slow for a while must not look like a dead node.
		"--node-monitor-grace-period=1h",
	}
}

func (c *ControlPlane) schedulerArgs() []string {
	return []string{
		"--kubeconfig=" + c.kubeconfigFile(scheduler),
		"--secure-port=0",
		"--leader-elect=false",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}
}

func (c *ControlPlane) kwokArgs() []string {
	return []string{
		"--kubeconfig=" + c.kubeconfigFile(kwok),
		"--manage-nodes-with-annotation-selector=" + kwokAnnotation + "=" + kwokFake,
	}
}
