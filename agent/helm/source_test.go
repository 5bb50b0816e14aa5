package helm_test

import (
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/repo"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/agent/helm"
)

// server is a chart repository, or whatever handler makes of it.
type server struct {
	*httptest.Server
	files map[string][]byte
	// user and password are asked for where user is not empty.
	user, password string
	handler        func(http.ResponseWriter, *http.Request) bool
	asked          atomic.Int32
	// authorized are the requests that came with credentials.
	authorized atomic.Int32
}

func (s *server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	s.asked.Add(1)
	user, password, given := request.BasicAuth()
	if given {
		s.authorized.Add(1)
	}
	if s.user != "" && (user != s.user || password != s.password) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if s.handler != nil && s.handler(w, request) {
		return
	}
	content, ok := s.files[strings.TrimPrefix(request.URL.Path, "/")]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write(content)
}

// newServer is a chart repository of these charts. With TLS it has a certificate that nobody knows.
func newServer(t *testing.T, encrypted bool, charts ...*chart.Chart) *server {
	t.Helper()
	s := &server{files: map[string][]byte{}}
	index := repo.NewIndexFile()
	for _, one := range charts {
		packed := pack(t, one)
		name := fmt.Sprintf("%s-%s.tgz", one.Name(), one.Metadata.Version)
		s.files[name] = packed
		if err := index.MustAdd(one.Metadata, name, "", digest(packed)); err != nil {
			t.Fatal(err)
		}
	}
	s.index(t, index)
	if encrypted {
		s.Server = httptest.NewTLSServer(s)
	} else {
		s.Server = httptest.NewServer(s)
	}
	t.Cleanup(s.Close)
	return s
}

func (s *server) index(t *testing.T, index *repo.IndexFile) {
	t.Helper()
	encoded, err := yaml.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	s.files["index.yaml"] = encoded
}

func (s *server) host() string { return s.Listener.Addr().String() }

// withPlainHTTP makes an agent whose operator allows these hosts without TLS.
func (s *spoke) withPlainHTTP(hosts ...string) {
	s.options.PlainHTTPHosts = hosts
	s.restart()
}

func TestAChartComesFromARepository(t *testing.T) {
	s, server := newSpoke(t), newServer(t, false, newChart("1.0.0"), newChart("1.2.0"), newChart("2.0.0-rc.1"))
	s.withPlainHTTP(server.host())
	for version, want := range map[string]string{
		"1.0.0": "1.0.0", "": "1.2.0", "~1.1 || ~1.2": "1.2.0", "2.0.0-rc.1": "2.0.0-rc.1",
	} {
		returns := s.must(helm.Install, "version "+version, map[string]any{
			"chart": "shop", "repository": server.URL, "version": version,
		})
		if returns["chartVersion"] != want {
			t.Errorf("version %q gives %v, want %s", version, returns["chartVersion"], want)
		}
	}
}

func TestARepositoryIsReachedByTLSWithCredentials(t *testing.T) {
	s, server := newSpoke(t), newServer(t, true, newChart("1.0.0"))
	server.user, server.password = "reader", "p4ssw0rd"
	parameters := map[string]any{"chart": "shop", "repository": server.URL, "version": "1.0.0"}
	fails := func(event, want string) {
		t.Helper()
		if _, err := s.finish(helm.Install, event, parameters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", event, err, want)
		} else if strings.Contains(err.Error(), "p4ss") {
			t.Errorf("%s: the error tells the password: %v", event, err)
		}
	}
	fails("no CA", "certificate")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	s.secret("ca", map[string]string{"ca.crt": string(certificate)})
	parameters["caSecretRef"] = map[string]any{"name": "ca"}
	fails("no credentials", "401")
	parameters["credentialsSecretRef"] = map[string]any{"name": "credentials"}
	fails("no Secret", "credentialsSecretRef")
	s.secret("wrong", map[string]string{"username": "reader", "password": "p4ss"})
	parameters["credentialsSecretRef"] = map[string]any{"name": "wrong"}
	fails("wrong credentials", "401")
	s.secret("credentials", map[string]string{"username": "reader", "password": "p4ssw0rd"})
	parameters["credentialsSecretRef"] = map[string]any{"name": "credentials"}
	s.must(helm.Install, "create", parameters)
	delete(parameters, "caSecretRef")
	parameters["insecureSkipTLSVerify"] = true
	s.must(helm.Upgrade, "insecure", parameters)
}

func TestCredentialsStayOnTheHostOfTheRepository(t *testing.T) {
	s, elsewhere := newSpoke(t), newServer(t, false, newChart("1.0.0"))
	server := newServer(t, false, newChart("1.0.0"))
	server.user, server.password = "reader", "secret"
	index := repo.NewIndexFile()
	if err := index.MustAdd(newChart("1.0.0").Metadata, "shop-1.0.0.tgz", elsewhere.URL, ""); err != nil {
		t.Fatal(err)
	}
	server.index(t, index)
	s.withPlainHTTP(server.host(), elsewhere.host())
	s.secret("credentials", map[string]string{"username": "reader", "password": "secret"})
	s.must(helm.Install, "create", map[string]any{
		"chart": "shop", "repository": server.URL, "credentialsSecretRef": map[string]any{"name": "credentials"},
	})
	if elsewhere.asked.Load() == 0 || elsewhere.authorized.Load() > 0 {
		t.Errorf("the other host was asked %d times, %d times with credentials", elsewhere.asked.Load(), elsewhere.authorized.Load())
	}
}

func TestASlowRepositoryBlocksNobody(t *testing.T) {
	s, server := newSpoke(t), newServer(t, false, newChart("1.0.0"))
	s.withPlainHTTP(server.host())
	reached, freed := make(chan struct{}), make(chan struct{})
	server.handler = func(http.ResponseWriter, *http.Request) bool {
		if server.asked.Load() == 1 {
			close(reached)
			<-freed
		}
		return false
	}
	parameters := map[string]any{"chart": "shop", "repository": server.URL}
	for range 3 { // each of these has returned while the server holds its answer
		outcome, err := s.ask(helm.Install, "create", parameters)
		if err != nil || outcome.Done || !strings.Contains(outcome.Message, "under way") {
			t.Fatalf("a pass gives %+v, %v", outcome, err)
		}
	}
	<-reached
	other := *s
	other.component.Name, other.component.UID = "web", "web"
	other.must(helm.Install, "create", map[string]any{"chart": s.save(newChart("1.0.0"))})
	close(freed)
	s.must(helm.Install, "create", parameters)
}

func TestAChartThatIsTooLargeIsRefused(t *testing.T) {
	s := newSpoke(t)
	noise := make([]byte, 64<<10)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	large := newChart("1.0.0", &chart.File{Name: "files/noise", Data: noise})
	server := newServer(t, false, large)
	oci := newRegistry(t, "", "")
	oci.push(t, large)
	s.options.MaxChartSize = 2000
	s.withPlainHTTP(server.host(), oci.host)
	if err := os.WriteFile(filepath.Join(s.charts, "packed.tgz"), pack(t, large), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, parameters := range map[string]map[string]any{
		"repository": {"chart": "shop", "repository": server.URL},
		"registry":   {"chart": oci.chart, "version": "1.0.0"},
		"folder":     {"chart": s.save(large)},
		"archive":    {"chart": "packed.tgz"},
	} {
		s.refuses(helm.Install, name, parameters, "too large", "2000")
	}
	server.handler = func(w http.ResponseWriter, request *http.Request) bool {
		for strings.HasSuffix(request.URL.Path, ".tgz") {
			if _, err := w.Write(noise); err != nil {
				break
			}
		}
		return false
	}
	s.refuses(helm.Install, "an answer without end", map[string]any{"chart": "shop", "repository": server.URL}, "too large")
}

func TestPathsLeadNowhereElse(t *testing.T) {
	s := newSpoke(t)
	outside := t.TempDir()
	s2 := *s
	s2.charts = outside
	s2.save(newChart("9.9.9"))
	if err := os.Symlink(outside, filepath.Join(s.charts, "link")); err != nil {
		t.Fatal(err)
	}
	inside := s.save(newChart("1.0.0"))
	if err := os.Symlink("/etc/hostname", filepath.Join(s.charts, inside, "templates", "host.yaml")); err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(s.charts, filepath.Join(outside, "9.9.9/shop"))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ chart, want string }{
		"a path upwards":         {up, "no directory that the agent's operator allows"},
		"an absolute path":       {filepath.Join(outside, "9.9.9/shop"), "no directory that the agent's operator allows"},
		"a link to a folder":     {"link/9.9.9/shop", "escapes"},
		"a link to a file":       {inside, "no regular file"},
		"an address of a file":   {"file://" + filepath.Join(outside, "9.9.9/shop"), "a scheme that is not allowed"},
		"a name upwards":         {"oci://../x", "reference"},
		"what is not there":      {"none", "no directory that the agent's operator allows"},
		"a chart of a web page":  {"https://example.com/x.tgz", "a scheme that is not allowed"},
		"a registry in the path": {"oci://host/x:1.0.0", "version"},
	} {
		parameters := map[string]any{"chart": test.chart, "version": "1.0.0"}
		if _, err := s.finish(helm.Install, name, parameters); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, test.want)
		}
	}
	s.must(helm.Install, "absolute, but allowed", map[string]any{"chart": filepath.Join(s.charts, s.save(newChart("2.0.0")))})
	s.options.ChartDirectories = nil
	s.restart()
	s.refuses(helm.Install, "no directory", map[string]any{"chart": s.save(newChart("2.0.0"))}, "0 directories are allowed")
}

func TestARepositoryMayNotSendTheAgentAnywhere(t *testing.T) {
	s, server := newSpoke(t), newServer(t, false, newChart("1.0.0"))
	index := repo.NewIndexFile()
	if err := index.MustAdd(newChart("1.0.0").Metadata, "passwd", "file:///etc", ""); err != nil {
		t.Fatal(err)
	}
	if err := index.MustAdd(newChart("1.1.0").Metadata, "x.tgz", "http://169.254.169.254", ""); err != nil {
		t.Fatal(err)
	}
	if err := index.MustAdd(newChart("1.2.0").Metadata, "shop-1.0.0.tgz", "", strings.Repeat("0", 64)); err != nil {
		t.Fatal(err)
	}
	if err := index.MustAdd(newChart("1.3.0").Metadata, "around", "", ""); err != nil {
		t.Fatal(err)
	}
	server.index(t, index)
	server.handler = func(w http.ResponseWriter, request *http.Request) bool {
		if request.URL.Path == "/around" {
			http.Redirect(w, request, "/around", http.StatusFound)
		}
		return request.URL.Path == "/around"
	}
	s.withPlainHTTP(server.host(), "169.254.169.254")
	for version, want := range map[string]string{
		"1.0.0": `scheme "file" is not allowed`, "1.1.0": "link-local", "1.2.0": "digest", "1.3.0": "redirects more than",
		"7": "not in its repository",
	} {
		_, err := s.finish(helm.Install, version, map[string]any{"chart": "shop", "repository": server.URL, "version": version})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", version, err, want)
		}
	}
	s.refuses(helm.Install, "user", map[string]any{"chart": "shop", "repository": "https://me:pw@host"}, "credentialsSecretRef")
	s.refuses(helm.Install, "name", map[string]any{"chart": "../shop", "repository": "https://host"}, "no name")
	_, err := s.finish(helm.Install, "plain", map[string]any{"chart": "shop", "repository": "http://example.com"})
	if err == nil || !strings.Contains(err.Error(), "plain http:// is not allowed") {
		t.Errorf("plain HTTP gives %v", err)
	}
}
