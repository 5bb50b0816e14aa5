package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

const (
	// certificateLife is how long certificates are valid: longer than any fleet lives.
	certificateLife = 365 * 24 * time.Hour
	// clockSkew is how far a certificate's validity reaches back.
	clockSkew = time.Hour
)

// keyPair is a certificate with its private key, both in PEM.
type keyPair struct {
	cert, key []byte
}

// authority is a certificate authority of one control plane. Elliptic-curve keys are used
// throughout since they take no time to generate.
type authority struct {
	keyPair
	certificate *x509.Certificate
	signer      *ecdsa.PrivateKey
}

func newAuthority(name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %s: %w", name, err)
	}
	template, err := certificateTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %s: %w", name, err)
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %s: %w", name, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %s: %w", name, err)
	}
	pair, err := encodePair(der, key)
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %s: %w", name, err)
	}
	return &authority{keyPair: pair, certificate: certificate, signer: key}, nil
}

// client issues a certificate by which a user of that name, in the given groups, logs in.
func (a *authority) client(user string, groups ...string) (keyPair, error) {
	return a.issue(pkix.Name{CommonName: user, Organization: groups}, nil, x509.ExtKeyUsageClientAuth)
}

// server issues a certificate for a server on loopback, reached also under the other DNS names
// and IP addresses. It serves as a client certificate too, which etcd needs to talk to itself.
func (a *authority) server(name string, others ...string) (keyPair, error) {
	names := append([]string{"localhost", "127.0.0.1"}, others...)
	return a.issue(pkix.Name{CommonName: name}, names, x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth)
}

func (a *authority) issue(subject pkix.Name, names []string, usage ...x509.ExtKeyUsage) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, fmt.Errorf("issue certificate of %s: %w", subject.CommonName, err)
	}
	template, err := certificateTemplate(subject)
	if err != nil {
		return keyPair{}, fmt.Errorf("issue certificate of %s: %w", subject.CommonName, err)
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = usage
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.signer)
	if err != nil {
		return keyPair{}, fmt.Errorf("issue certificate of %s: %w", subject.CommonName, err)
	}
	return encodePair(der, key)
}

func certificateTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-clockSkew),
		NotAfter:     now.Add(certificateLife),
	}, nil
}

func encodePair(der []byte, key *ecdsa.PrivateKey) (keyPair, error) {
	encodedKey, err := encodeKey(key)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key: encodedKey}, nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
