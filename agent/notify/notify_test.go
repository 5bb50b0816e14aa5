package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"wheelwright.dev/wheelwright/agent/background"
	"wheelwright.dev/wheelwright/agent/notify"
	"wheelwright.dev/wheelwright/agent/workflow"
)

// patience is how long a test waits for what it knows must come.
const patience = 30 * time.Second

// step is a notify step, and a receiver that answers it.
type step struct {
	t        *testing.T
	options  notify.Options
	objects  []client.Object
	pool     *background.Pool
	server   *httptest.Server
	received chan received
	// answer is how the receiver answers its nth request.
	answer func(n int32, w http.ResponseWriter, request *http.Request)
}

type received struct {
	header http.Header
	body   map[string]any
}

var identity = workflow.Identity{
	Component: workflow.Component{Namespace: "shop", Name: "db", UID: "uid"}, EventID: "event-1", Step: "notify",
}

func newStep(t *testing.T) *step {
	t.Helper()
	s := &step{t: t, pool: background.New(2), received: make(chan received, 100)}
	s.answer = func(_ int32, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "thanks") }
	var asked atomic.Int32
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		one := received{header: request.Header}
		if content, err := io.ReadAll(request.Body); err == nil {
			_ = json.Unmarshal(content, &one.body)
		}
		s.received <- one
		s.answer(asked.Add(1), w, request)
	}))
	t.Cleanup(s.server.Close)
	t.Cleanup(s.pool.Close)
	return s
}

func (s *step) ask(parameters map[string]any) (workflow.Outcome, error) {
	objects := fake.NewClientBuilder().WithObjects(s.objects...).Build()
	return notify.New(s.pool, s.options).Actions()[notify.Name](s.t.Context(), workflow.Request{
		Identity: identity, Parameters: parameters, Client: objects,
	})
}

// finish asks until the step is done or a try at it has failed.
func (s *step) finish(parameters map[string]any) (workflow.Outcome, error) {
	s.t.Helper()
	deadline := time.After(patience)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		outcome, err := s.ask(parameters)
		if outcome.Done || err != nil {
			return outcome, err
		}
		select {
		case <-ticker.C:
		case <-deadline:
			s.t.Fatalf("waited %s: %+v", patience, outcome)
		}
	}
}

// wantError says whether another try could change it.
func wantError(t *testing.T, err error, final bool, words string) {
	t.Helper()
	failure := (*workflow.FailureError)(nil)
	if err == nil || errors.As(err, &failure) != final || !strings.Contains(err.Error(), words) {
		t.Errorf("the error is %v, want one with %q that is final: %v", err, words, final)
	}
}

func TestTheReceiverIsTold(t *testing.T) {
	s := newStep(t)
	outcome, err := s.finish(map[string]any{
		"url": s.server.URL, "event": "upgrade", "message": "done", "headers": map[string]any{"X-Team": "shop"},
		"body": map[string]any{"size": int64(12345678901), "event": "renamed"},
	})
	if err != nil || fmt.Sprint(outcome.Returns) != "map[delivered:true response:thanks status:200]" {
		t.Fatalf("it gives %+v, %v", outcome, err)
	}
	got := <-s.received
	at, err := time.Parse(time.RFC3339, fmt.Sprint(got.body["time"]))
	if err != nil || time.Since(at) > patience {
		t.Errorf("the time is %v", got.body["time"])
	}
	delete(got.body, "time")
	want := map[string]any{
		"component": "db", "namespace": "shop", "event": "renamed", "message": "done", "step": "notify",
		"identity": identity.Hash(), "size": 12345678901.0,
	}
	if fmt.Sprint(got.body) != fmt.Sprint(want) {
		t.Errorf("the body is %v, want %v", got.body, want)
	}
	for name, want := range map[string]string{
		"X-Team": "shop", "Content-Type": "application/json", notify.IdempotencyKey: identity.Hash(),
	} {
		if got := got.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestAnAnswerThatMayChangeIsAskedForAgainUnderTheSameKey(t *testing.T) {
	s := newStep(t)
	s.answer = func(n int32, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader([]int{http.StatusInternalServerError, http.StatusTooManyRequests, http.StatusNoContent}[n-1])
	}
	for _, want := range []string{"500", "429"} {
		_, err := s.finish(map[string]any{"url": s.server.URL})
		wantError(t, err, false, want)
	}
	if _, err := s.finish(map[string]any{"url": s.server.URL}); err != nil {
		t.Error(err)
	}
	for range 3 {
		if key := (<-s.received).header.Get(notify.IdempotencyKey); key != identity.Hash() {
			t.Errorf("the key is %q", key)
		}
	}
}

func TestAnAnswerThatStaysIsFinal(t *testing.T) {
	s := newStep(t)
	s.answer = func(_ int32, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }
	_, err := s.finish(map[string]any{"url": s.server.URL})
	wantError(t, err, true, "404")
}

func TestASlowReceiverBlocksNobody(t *testing.T) {
	s, free := newStep(t), make(chan struct{})
	s.answer = func(int32, http.ResponseWriter, *http.Request) { <-free }
	for range 3 {
		if outcome, err := s.ask(map[string]any{"url": s.server.URL}); err != nil || outcome.Done || outcome.RecheckAfter <= 0 {
			t.Fatalf("a pass gives %+v, %v", outcome, err)
		}
	}
	<-s.received
	close(free)
	if _, err := s.finish(map[string]any{"url": s.server.URL}); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheBeginningOfAnAnswerIsRead(t *testing.T) {
	s := newStep(t)
	s.answer = func(_ int32, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 100<<10)) }
	outcome, err := s.finish(map[string]any{"url": s.server.URL})
	if err != nil || len(outcome.Returns["response"].(string)) != 4<<10 {
		t.Errorf("%d bytes are returned: %v", len(outcome.Returns["response"].(string)), err)
	}
}

func TestAnAddressThatIsSecretIsNeverTold(t *testing.T) {
	s := newStep(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "hook"}, Data: map[string][]byte{
		"url": []byte(s.server.URL + "/t0ken\n"), "closed": []byte("http://127.0.0.1:1/t0ken"), "broken": []byte("http://[::t0ken"),
		"metadata": []byte("http://169.254.169.254/t0ken"), "file": []byte("file:///t0ken"),
	}}
	s.objects = []client.Object{secret}
	reference := func(key string) map[string]any {
		return map[string]any{"urlSecretRef": map[string]any{"name": "hook", "key": key}}
	}
	outcome, err := s.finish(map[string]any{"urlSecretRef": map[string]any{"name": "hook"}})
	if err != nil || strings.Contains(fmt.Sprintf("%+v", outcome), "t0ken") {
		t.Errorf("it gives %+v, %v", outcome, err)
	}
	for key, final := range map[string]bool{"closed": false, "broken": true, "metadata": true, "file": true, "absent": false} {
		_, err := s.finish(reference(key))
		wantError(t, err, final, "")
		if err != nil && (strings.Contains(err.Error(), "t0ken") || strings.Contains(err.Error(), "127.0.0.1:1/")) {
			t.Errorf("%s: the error tells the address: %v", key, err)
		}
	}
	s.answer = func(_ int32, w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, "ftp://elsewhere/t0ken", http.StatusTemporaryRedirect)
	}
	_, err = s.finish(reference("url"))
	if wantError(t, err, false, "scheme"); err != nil && strings.Contains(err.Error(), "t0ken") {
		t.Errorf("a redirect: the error tells the address: %v", err)
	}
}

func TestAddressesOfTheMachineItselfAreRefusedUnlessTheyAreAllowed(t *testing.T) {
	s := newStep(t)
	for _, url := range []string{
		"http://169.254.169.254/latest", "http://[fe80::1%25eth0]/", "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/",
	} {
		_, err := s.finish(map[string]any{"url": url})
		wantError(t, err, true, "link-local")
	}
	s.answer = func(_ int32, w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
	}
	_, err := s.finish(map[string]any{"url": s.server.URL})
	wantError(t, err, false, "link-local")
}

func TestAStepWithoutAnAddressUsesTheAgents(t *testing.T) {
	s := newStep(t)
	outcome, err := s.ask(map[string]any{"message": "teardown complete"})
	if err != nil || !outcome.Done || outcome.Returns["delivered"] != false || !strings.Contains(outcome.Message, "nobody is told") {
		t.Errorf("without any it gives %+v, %v", outcome, err)
	}
	s.options.DefaultURL = s.server.URL
	outcome, err = s.finish(map[string]any{"message": "teardown complete"})
	if err != nil || outcome.Returns["delivered"] != true {
		t.Errorf("it gives %+v, %v", outcome, err)
	}
}

func TestParametersThatCannotBeAreRefused(t *testing.T) {
	s := newStep(t)
	for want, parameters := range map[string]map[string]any{
		"unknown field":      {"uri": "x"},
		"give one of them":   {"url": "x", "urlSecretRef": map[string]any{"name": "x"}},
		"names no Secret":    {"urlSecretRef": map[string]any{}},
		"at most 65536":      {"url": s.server.URL, "message": strings.Repeat("x", 64<<10)},
		"is not allowed":     {"url": "gopher://x"},
		"the URL is none":    {"url": "http://a b"},
		"it names no host":   {"url": "http:///x"},
		"parameters are wro": {"headers": map[string]any{"a": int64(1)}},
	} {
		_, err := s.finish(parameters)
		wantError(t, err, true, want)
	}
	if len(s.received) > 0 {
		t.Error("the receiver was asked")
	}
}

func TestAnAgentThatEndsEndsItsRequests(t *testing.T) {
	s := newStep(t)
	ended := make(chan struct{})
	s.answer = func(_ int32, _ http.ResponseWriter, request *http.Request) {
		<-request.Context().Done()
		close(ended)
	}
	if _, err := s.ask(map[string]any{"url": s.server.URL}); err != nil {
		t.Fatal(err)
	}
	<-s.received
	s.pool.Close()
	<-ended
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.pool.Start(ctx); err != nil {
		t.Error(err)
	}
}
