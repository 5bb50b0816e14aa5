package conformance

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/fleet/ocm/admission"
)

// TestAdmission holds the rows of what the hub takes for a work at all.
func TestAdmission(t *testing.T) {
	r := &row{T: t, namespace: "admission", cluster: "admission", hub: secondHub}
	r.must(secondHub.Create(t.Context(), namespaceOf(r.cluster)))
	good := manifestWork{name: "good", manifests: []object{r.configMap("cm", "")}}
	r.await("the webhook's server", func() error { return r.propose(secondHub, good) })

	unnamed := r.configMap("", "")
	generated := r.configMap("cm", "")
	generated.SetGenerateName("cm-")
	versionless := r.configMap("cm", "")
	versionless.SetAPIVersion("")
	for id, row := range map[string]struct {
		manifests []object
		want      string
	}{
		"W1":  {nil, "manifests should not be empty"},
		"W2":  {[]object{r.configMap("cm", strings.Repeat("x", 512*1000))}, "bytes which exceeds the 512000 limit"},
		"W3":  {[]object{r.configMap("cm", "one"), r.configMap("cm", "two")}, "duplicate manifest for resource admission/cm with resource type v1.ConfigMap"},
		"W4":  {[]object{unnamed}, "name must be set in manifest"},
		"W4b": {[]object{generated}, "generateName must not be set in manifest"},
		"W6":  {[]object{versionless}, "manifests[0].apiVersion: Invalid value"},
	} {
		t.Run(id, func(t *testing.T) {
			err := r.propose(secondHub, manifestWork{name: strings.ToLower(id), manifests: row.manifests})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("answer %v, want one with %q", err, row.want)
			}
		})
	}
	t.Run("W2 just within the limit", func(t *testing.T) {
		full := r.configMap("cm", strings.Repeat("x", 511*1000))
		r.must(r.propose(secondHub, manifestWork{name: "full", manifests: []object{full}}))
	})
	t.Run("W5", func(t *testing.T) { executorOfAnother(t, r, good) })
}

// propose asks the hub whether it would take the work.
func (r *row) propose(as client.Client, w manifestWork) error {
	work := newObject("work.open-cluster-management.io/v1", "ManifestWork", r.cluster, w.name, map[string]any{"spec": w.spec()})
	return as.Create(context.Background(), work, client.DryRunAll)
}

func executorOfAnother(t *testing.T, r *row, w manifestWork) {
	config := secondHub.RESTConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: "author"}
	author, err := newClient(config)
	r.must(err)
	r.allowAuthor(rbacv1.PolicyRule{APIGroups: []string{workv1.GroupName}, Resources: []string{"manifestworks"}, Verbs: []string{"create"}})
	r.await("the author's right to create works", func() error { return r.propose(author, w) })

	w.executor = &workv1.ManifestWorkExecutor{Subject: workv1.ManifestWorkExecutorSubject{
		Type:           workv1.ExecutorSubjectTypeServiceAccount,
		ServiceAccount: &workv1.ManifestWorkSubjectServiceAccount{Namespace: "default", Name: "powerful"},
	}}
	err = r.propose(author, w)
	want := "user author cannot manipulate the Manifestwork with executor default/powerful in namespace admission"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("answer %v, want one with %q", err, want)
	}

	r.allowAuthor(rbacv1.PolicyRule{
		APIGroups: []string{workv1.GroupName}, Resources: []string{"manifestworks"}, Verbs: []string{"execute-as"},
		ResourceNames: []string{"system:serviceaccount:default:powerful"},
	})
	r.await("the author's right to execute", func() error { return r.propose(author, w) })
}

// allowAuthor adds to the rights of the user "author".
func (r *row) allowAuthor(rule rbacv1.PolicyRule) {
	r.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: r.cluster, GenerateName: "author-"}, Rules: []rbacv1.PolicyRule{rule}}
	r.must(r.hub.Create(r.Context(), role))
	r.must(r.hub.Create(r.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.cluster, Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: "User", Name: "author"}},
	}))
}

// startAdmission serves the second hub's webhooks by the stand-in, or by OCM's binary where that
// is under test, and returns how to end it.
func startAdmission(ctx context.Context) (stop func() error, err error) {
	const address = "127.0.0.1"
	cert, key, err := certutil.GenerateSelfSignedCertKey(address, []net.IP{net.ParseIP(address)}, nil)
	if err != nil {
		return nil, err
	}
	var url string
	if agentBinary() != "" {
		url, stop, err = serveByBinary(cert, key)
	} else {
		url, stop, err = serveByStandIn(ctx, cert, key)
	}
	if err != nil {
		return nil, err
	}
	return stop, admission.Install(ctx, secondHub.RESTConfig(), url, cert)
}

func serveByStandIn(ctx context.Context, cert, key []byte) (url string, stop func() error, err error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return "", nil, err
	}
	server, err := admission.Listen(ctx, admission.Options{HubConfig: secondHub.RESTConfig(), Certificate: pair})
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	return server.URL(), func() error { cancel(); return <-ended }, nil
}

func serveByBinary(cert, key []byte) (url string, stop func() error, err error) {
	dir := filepath.Join(secondHub.Dir(), "webhook")
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	err = errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "tls.crt"), cert, 0o600),
		os.WriteFile(filepath.Join(dir, "tls.key"), key, 0o600))
	if err != nil {
		return "", nil, err
	}
	command := exec.Command(agentBinary(), "webhook-server", fmt.Sprintf("--port=%d", port), "--certdir="+dir,
		"--metrics-port=0", "--health-probe-port=0", "--kubeconfig="+secondHub.Kubeconfig())
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return "", nil, fmt.Errorf("cannot start OCM's webhook server: %w", err)
	}
	return fmt.Sprintf("https://127.0.0.1:%d", port), (&binary{command}).stop, nil
}
