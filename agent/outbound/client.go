// Package outbound makes the HTTP requests that a workflow asks the agent for. Their addresses come from whoever writes a
// Component, so they are bounded in where they go and in what they bring back.
package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

const (
	maxRedirects   = 5
	connectTimeout = 10 * time.Second
)

// ErrTooLarge says that an answer has more bytes than are allowed.
var ErrTooLarge = errors.New("it is too large")

// metadataV6 is where some clouds serve a machine's credentials over IPv6. Over IPv4 they all use a link-local address.
var metadataV6 = netip.MustParseAddr("fd00:ec2::254")

// Options of a client.
type Options struct {
	// PlainHTTP says which hosts, as a URL writes them, may be asked over http:// beside https://. Nil means none.
	PlainHTTP func(host string) bool
	// LinkLocal allows link-local addresses, where clouds serve the machine's own credentials.
	LinkLocal bool
	// CA are certificates in PEM that are trusted beside the system's.
	CA []byte
	// SkipVerify takes any certificate.
	SkipVerify bool
}

// NewClient makes a client that keeps no connections open. An error says that CA holds no certificate.
func NewClient(options Options) (*http.Client, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if len(options.CA) > 0 && !pool.AppendCertsFromPEM(options.CA) {
		return nil, errors.New("the CA holds no certificate in PEM")
	}
	dialer := &net.Dialer{Timeout: connectTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		return options.checkAddress(address)
	}}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, DisableKeepAlives: true,
		TLSHandshakeTimeout: connectTimeout,
		TLSClientConfig:     &tls.Config{RootCAs: pool, InsecureSkipVerify: options.SkipVerify, MinVersion: tls.VersionTLS12},
	}
	return &http.Client{Transport: guard{options, transport}, CheckRedirect: checkRedirect}, nil
}

// guard sees every request, those that a redirect or a registry's token service leads to as well.
type guard struct {
	options Options
	next    http.RoundTripper
}

func (g guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := g.options.CheckURL(request.URL); err != nil {
		return nil, err
	}
	return g.next.RoundTrip(request)
}

// CheckURL says whether an address may be asked at all. What its name resolves to is checked when it is connected to.
func (o Options) CheckURL(address *url.URL) error {
	switch {
	case address.Scheme == "http" && (o.PlainHTTP == nil || !o.PlainHTTP(address.Host)):
		return errors.New("plain http:// is not allowed: use https://, or let the agent's operator allow it for this host")
	case address.Scheme != "http" && address.Scheme != "https":
		return fmt.Errorf("scheme %q is not allowed: use https://", address.Scheme)
	case address.Hostname() == "":
		return errors.New("it names no host")
	}
	// Behind a proxy the agent does not connect to this address itself.
	if ip, err := netip.ParseAddr(address.Hostname()); err == nil {
		return o.checkIP(ip)
	}
	return nil
}

func (o Options) checkAddress(address string) error {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s is no address: %w", address, err)
	}
	return o.checkIP(parsed.Addr())
}

func (o Options) checkIP(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	if !o.LinkLocal && (ip.IsLinkLocalUnicast() || ip.IsLinkLocalMulticast() || ip == metadataV6) {
		return fmt.Errorf("%s is a link-local address, where clouds serve credentials: "+
			"the agent's operator would have to allow it", ip)
	}
	return nil
}

func checkRedirect(request *http.Request, via []*http.Request) error {
	switch last := via[len(via)-1].URL; {
	case len(via) > maxRedirects:
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	case last.Scheme == "https" && request.URL.Scheme != "https":
		return errors.New("it redirects from https:// to another scheme")
	}
	return nil
}

// ReadAll reads at most limit bytes; ErrTooLarge says that there are more.
func ReadAll(body io.Reader, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes are not taken", ErrTooLarge, limit)
	}
	return content, nil
}
