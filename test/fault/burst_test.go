package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// burst is how many requests in a row meet a fault, and spared how many after these do not.
	burst  = 3
	spared = 5
	// faults is how many requests meet one in each event. The agent waits twice as long after each failure in a row, so that many
	// more would be a test of patience.
	faults = 9
	// mostRequests bounds those of an event that meets faults: a loop that does not wait makes thousands.
	mostRequests = 500
)

// bursts lets a fault strike now and then, until it has struck often enough.
func bursts(strike fault) fault {
	var mutex sync.Mutex
	seen, struck := 0, 0
	return func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
		mutex.Lock()
		strikes := struck < faults && seen%(burst+spared) < burst
		seen++
		if strikes {
			struck++
		}
		mutex.Unlock()
		if strikes {
			strike(w, r, forward)
			return
		}
		forward.ServeHTTP(w, r)
	}
}

// refuse answers as an API server does.
func refuse(code int, reason metav1.StatusReason, retryAfter int) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json")
		if retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		w.WriteHeader(code)
		status := metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Code: int32(code), Reason: reason, Message: "a fault of the test",
		}
		_ = json.NewEncoder(w).Encode(status) // the agent may be gone
	}
}

func drop(http.ResponseWriter, *http.Request, http.Handler) { dropConnection() }

// breakOff lets a request be done, and sends half of its answer.
func breakOff(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if isWatch(r) {
		dropConnection()
	}
	whole := httptest.NewRecorder()
	forward.ServeHTTP(whole, r)
	for name, values := range whole.Header() {
		w.Header()[name] = values
	}
	body := whole.Body.Bytes()
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(whole.Code)
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	dropConnection()
}

func TestBurstsOfFailuresDelayAndChangeNothing(t *testing.T) {
	for _, strike := range []struct {
		name string
		does fault
	}{
		{"403", refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0)},
		{"409", refuse(http.StatusConflict, metav1.StatusReasonConflict, 0)},
		{"429", refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, 1)},
		{"500", refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0)},
		{"dropped", drop},
		{"broken-off", breakOff},
	} {
		t.Run(strike.name, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			l.start()
			l.throughBursts("create", strike.does, func() { l.create(l.wholeComponent("db", "r1", "a")) }, func() { l.awaitHealthy("db", "r1") })
			l.throughBursts("upgrade", strike.does, func() { l.dispatch("db", "r2", l.wholeProperties("b")) }, func() { l.awaitHealthy("db", "r2") })
			l.throughBursts("delete", strike.does, func() { l.delete("db") }, func() { l.awaitGone("db") })
		})
	}
}

// throughBursts lets one event meet bursts of a fault.
func (l *lane) throughBursts(event string, strike fault, begin, over func()) {
	l.t.Helper()
	before, _ := l.gate.counts()
	l.gate.set(bursts(strike))
	begin()
	over()
	l.gate.set(nil)
	after, _ := l.gate.counts()
	l.wantEffects("db", event, "bursts")
	l.wantTold("db", event, "bursts", 2)
	l.t.Logf("%s: %d requests", event, after-before)
	if made := after - before; made > mostRequests {
		l.t.Errorf("the %s event took %d requests, want at most %d: %s", event, made, mostRequests, l.mostFrequent())
	}
}

// mostFrequent names the write that was made most often.
func (l *lane) mostFrequent() string {
	_, writes := l.gate.counts()
	count, most := map[string]int{}, ""
	for _, write := range writes {
		count[write]++
		if count[write] > count[most] {
			most = write
		}
	}
	return fmt.Sprintf("%d times %s", count[most], most)
}
