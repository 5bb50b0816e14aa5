package embedded

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readyPoll is how often a condition of a starting control plane is looked at again. None of
// them can be watched before the API server is up, and none takes long after that.
const readyPoll = 20 * time.Millisecond

// await returns as soon as the condition holds, which is when it returns nil. It fails when ctx
// ends, and then tells the cause and what the condition had last complained of.
func await(ctx context.Context, what string, condition func(context.Context) error) error {
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	var complaint error
	for {
		err := condition(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			complaint = err
		}
		select {
		case <-ctx.Done():
			cause := context.Cause(ctx)
			if complaint == nil || errors.Is(cause, errEnded) {
				return cause
			}
			return fmt.Errorf("wait for %s: %w (last seen: %w)", what, cause, complaint)
		case <-ticker.C:
		}
	}
}

// etcdReady reports whether etcd takes connections, which it does once it can serve them.
func (c *ControlPlane) etcdReady(ctx context.Context) error {
	pair, err := tls.X509KeyPair(c.pki.etcdClient.cert, c.pki.etcdClient.key)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(c.pki.etcd.certificate)
	dialer := &tls.Dialer{Config: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}}
	conn, err := dialer.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", c.ports.etcdClient))
	if err != nil {
		return err
	}
	return conn.Close()
}

// apiServerReady reports whether the API server has finished all of its start hooks, the roles
// of RBAC among them.
func (c *ControlPlane) apiServerReady(ctx context.Context) error {
	return c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// controllersReady reports whether the controllers do what everybody takes for granted: pods
// need the default ServiceAccount, and most roles are aggregated into admin.
func (c *ControlPlane) controllersReady(ctx context.Context) error {
	_, err := c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	if err != nil {
		return err
	}
	admin, err := c.client.RbacV1().ClusterRoles().Get(ctx, "admin", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if len(admin.Rules) == 0 {
		return errors.New("nothing has been aggregated into ClusterRole admin yet")
	}
	return nil
}
