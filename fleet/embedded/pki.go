package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
)

// pki is everything that the programs of one control plane prove who they are with. Three
// authorities, as in a real cluster: who may be a client of the API server is no client of
// etcd, and cannot claim to be an aggregating proxy.
type pki struct {
	cluster    *authority // of the API server and its clients; also signs CSRs
	etcd       *authority
	frontProxy *authority

	apiServer       keyPair
	etcdServer      keyPair
	etcdClient      keyPair
	frontProxyUser  keyPair
	serviceAccounts []byte // private key that signs ServiceAccount tokens
}

// serviceNetwork is where cluster IPs come from, serviceIP is that of the API server in it.
const (
	serviceNetwork = "10.96.0.0/16"
	serviceIP      = "10.96.0.1"
)

func newPKI() (*pki, error) {
	p := &pki{}
	var err error
	for name, target := range map[string]**authority{
		"kubernetes": &p.cluster, "etcd": &p.etcd, "front-proxy": &p.frontProxy,
	} {
		if *target, err = newAuthority(name); err != nil {
			return nil, err
		}
	}
	p.apiServer, err = p.cluster.server("kube-apiserver", serviceIP,
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
	if err != nil {
		return nil, err
	}
	if p.etcdServer, err = p.etcd.server("etcd"); err != nil {
		return nil, err
	}
	if p.etcdClient, err = p.etcd.client("kube-apiserver"); err != nil {
		return nil, err
	}
	if p.frontProxyUser, err = p.frontProxy.client(frontProxyUser); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of ServiceAccount tokens: %w", err)
	}
	if p.serviceAccounts, err = encodeKey(key); err != nil {
		return nil, fmt.Errorf("make the key of ServiceAccount tokens: %w", err)
	}
	return p, nil
}

// write puts the files that the programs' flags name into dir, readable by this user only.
func (p *pki) write(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write certificates: %w", err)
	}
	files := map[string][]byte{
		"front-proxy-ca.crt": p.frontProxy.cert,
		"etcd-ca.crt":        p.etcd.cert,
		"sa.key":             p.serviceAccounts,
	}
	for name, pair := range map[string]keyPair{
		"ca":                 p.cluster.keyPair,
		"apiserver":          p.apiServer,
		"etcd":               p.etcdServer,
		"etcd-client":        p.etcdClient,
		"front-proxy-client": p.frontProxyUser,
	} {
		files[name+".crt"], files[name+".key"] = pair.cert, pair.key
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return fmt.Errorf("write certificates: %w", err)
		}
	}
	return nil
}
