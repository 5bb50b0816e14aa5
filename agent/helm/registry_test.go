package helm_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
	"golang.org/x/crypto/bcrypt"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/registry"
	"oras.land/oras-go/v2/registry/remote/auth"

	"wheelwright.dev/wheelwright/agent/helm"
)

// ociRegistry is a real one, on loopback.
type ociRegistry struct {
	host, chart, user, password string
}

func newRegistry(t *testing.T, user, password string) *ociRegistry {
	t.Helper()
	config := &configuration.Configuration{}
	config.Storage = configuration.Storage{"inmemory": configuration.Parameters{}}
	config.Log.AccessLog.Disabled = true
	if user != "" {
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "htpasswd")
		if err := os.WriteFile(path, fmt.Appendf(nil, "%s:%s\n", user, hash), 0o600); err != nil {
			t.Fatal(err)
		}
		config.Auth = configuration.Auth{"htpasswd": configuration.Parameters{"realm": "test", "path": path}}
	}
	app := handlers.NewApp(t.Context(), config)
	server := httptest.NewServer(app)
	t.Cleanup(func() {
		server.Close()
		_ = app.Shutdown()
	})
	host := server.Listener.Addr().String()
	return &ociRegistry{host: host, chart: "oci://" + host + "/charts/shop", user: user, password: password}
}

// push uses Helm's own client.
func (r *ociRegistry) push(t *testing.T, made *chart.Chart) {
	t.Helper()
	authorizer := auth.Client{
		Client:     &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Credential: auth.StaticCredential(r.host, auth.Credential{Username: r.user, Password: r.password}),
	}
	client, err := registry.NewClient(registry.ClientOptPlainHTTP(), registry.ClientOptAuthorizer(authorizer))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Push(pack(t, made), strings.TrimPrefix(r.chart, "oci://")+":"+made.Metadata.Version); err != nil {
		t.Fatal(err)
	}
}

func TestAChartComesFromARegistry(t *testing.T) {
	s, oci := newSpoke(t), newRegistry(t, "", "")
	oci.push(t, newChart("1.0.0+build"))
	s.withPlainHTTP(oci.host)
	returns := s.must(helm.Install, "create", map[string]any{"chart": oci.chart, "version": "1.0.0+build"})
	if returns["chartVersion"] != "1.0.0+build" {
		t.Errorf("it returns %v", returns)
	}
	s.refuses(helm.Install, "no version", map[string]any{"chart": oci.chart}, "needs a version")
	if _, err := s.finish(helm.Install, "none", map[string]any{"chart": oci.chart, "version": "3.0.0"}); err == nil {
		t.Error("a version that is not there is installed")
	}
}

func TestARegistryIsGivenCredentials(t *testing.T) {
	s, oci := newSpoke(t), newRegistry(t, "reader", "p4ssw0rd")
	oci.push(t, newChart("1.0.0"))
	s.withPlainHTTP(oci.host)
	parameters := map[string]any{"chart": oci.chart, "version": "1.0.0"}
	if _, err := s.finish(helm.Install, "create", parameters); err == nil {
		t.Error("the registry gives the chart to anybody")
	}
	s.secret("credentials", map[string]string{"username": "reader", "password": "p4ssw0rd"})
	parameters["credentialsSecretRef"] = map[string]any{"name": "credentials"}
	s.must(helm.Install, "create", parameters)
}
