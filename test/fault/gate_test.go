package fault

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

const componentsPath = "/apis/core.wheelwright.dev/v1alpha1/components"

// fault decides what becomes of a request: it is forwarded, answered in another way, or dropped. Nil forwards.
type fault func(w http.ResponseWriter, r *http.Request, forward http.Handler)

// gate stands between one agent and the API server. It lends the agent the administrator's rights, and narrows its view of
// Components to one namespace, so that tests do not meet each other's.
type gate struct {
	server    *httptest.Server
	namespace string
	forward   http.Handler

	mutex    sync.Mutex
	fault    fault
	requests int
	writes   []string
	// open are the requests that are not answered yet.
	open map[*http.Request]string
}

// newGate makes a gate, which is closed when the lane's agents are dead.
func (l *lane) newGate() *gate {
	t := l.t
	t.Helper()
	transport, err := rest.TransportFor(shared.config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(shared.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{namespace: l.ns, open: map[*http.Request]string{}}
	g.forward = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // watches
		ErrorLog:      log.New(io.Discard, "", 0),
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { dropConnection() },
	}
	g.server = httptest.NewUnstartedServer(g)
	g.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	g.server.Start()
	l.gates = append(l.gates, g)
	return g
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == componentsPath {
		r.URL.Path = strings.Replace(componentsPath, "components", "namespaces/"+g.namespace+"/components", 1)
	}
	g.mutex.Lock()
	g.requests++
	if isWrite(r) {
		g.writes = append(g.writes, r.Method+" "+r.URL.Path)
	}
	decide := g.fault
	g.open[r] = r.Method + " " + r.URL.String()
	g.mutex.Unlock()
	defer func() {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		delete(g.open, r)
	}()
	if decide == nil {
		g.forward.ServeHTTP(w, r)
		return
	}
	decide(w, r, g.forward)
}

// set puts a fault in place, or none.
func (g *gate) set(next fault) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.fault = next
}

// counts are the requests since the gate was made, and the writes among them.
func (g *gate) counts() (requests int, writes []string) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.requests, append([]string(nil), g.writes...)
}

// pending are the requests that are not answered yet, watches left out.
func (g *gate) pending() []string {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	var found []string
	for r, what := range g.open {
		if !isWatch(r) {
			found = append(found, what)
		}
	}
	return found
}

// dropConnection ends the connection of the request that is being served, without an answer.
func dropConnection() { panic(http.ErrAbortHandler) }

// forwardUnseen forwards a request whose answer nobody gets.
func forwardUnseen(r *http.Request, forward http.Handler) {
	defer func() { _ = recover() }() // the API server may be gone
	forward.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
}

func isWatch(r *http.Request) bool { return r.URL.Query().Has("watch") }

// isWrite leaves out events, which are made behind the agent's back, and leases.
func isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/events") && !strings.Contains(r.URL.Path, "/leases")
}
