package leader

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestGuard(t *testing.T) {
	now := time.Unix(1000, 0)
	status := http.StatusOK
	guard := NewGuard("agent", 10*time.Second)
	guard.now = func() time.Time { return now }
	transport := guard.Wrap(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(""))}, nil
	}))
	do := func(method, path string) error {
		response, err := transport.RoundTrip(httptest.NewRequest(method, "https://spoke"+path, nil))
		if response != nil {
			_ = response.Body.Close()
		}
		return err
	}
	const lease, other = "/apis/coordination.k8s.io/v1/namespaces/system/leases/agent", "/api/v1/namespaces/shop/configmaps/web"
	for _, step := range []struct {
		name         string
		after        time.Duration
		method, path string
		status       int
		refused      bool
	}{
		{"before any lease", 0, "PATCH", other, 200, false},
		{"the lease is made", 0, "POST", strings.TrimSuffix(lease, "/agent"), 201, false},
		{"while it is held", 9 * time.Second, "PATCH", other, 200, false},
		{"it is renewed", 0, "PUT", lease, 200, false},
		{"for as long again", 9 * time.Second, "DELETE", other, 200, false},
		{"a renewal that is refused is none", 0, "PUT", lease, 409, false},
		{"it is old", time.Second, "PATCH", other, 200, true},
		{"reading goes on", 0, "GET", other, 200, false},
		{"long ago", time.Hour, "POST", other, 200, true},
		{"it is taken up again", 0, "PUT", lease, 200, false},
		{"and holds", time.Second, "POST", other, 200, false},
	} {
		now, status = now.Add(step.after), step.status
		if err := do(step.method, step.path); errors.Is(err, ErrNotLeading) != step.refused {
			t.Errorf("%s: got %v, want refused=%v", step.name, err, step.refused)
		}
	}
}
