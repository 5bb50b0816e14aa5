// Package notify is the workflow action notify: it tells an HTTP endpoint what happens to a Component.
//
// Delivery is at least once. A request whose answer is lost is sent again, with the same Idempotency-Key, by which a receiver
// can tell that it has it already.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"wheelwright.dev/wheelwright/agent/background"
	"wheelwright.dev/wheelwright/agent/outbound"
	"wheelwright.dev/wheelwright/agent/workflow"
)

// Name is what `#do` calls the action.
const Name = "notify"

// IdempotencyKey is the header that is the same in every try at one step.
const IdempotencyKey = "Idempotency-Key"

const (
	maxBody     = 64 << 10
	maxResponse = 4 << 10
	timeout     = 10 * time.Second
	// keyOfURL is the key of the Secret that urlSecretRef names, unless it says another.
	keyOfURL = "url"
)

// Options are what the agent's operator decides.
type Options struct {
	// DefaultURL is told where a step names no URL. Without it, such a step does nothing but succeed.
	DefaultURL string
	// AllowLinkLocal lets steps reach link-local addresses, such as those of cloud metadata services.
	AllowLinkLocal bool
}

// Notifier gives the action.
type Notifier struct {
	options Options
	pool    *background.Pool
}

// New makes a Notifier that sends on the pool's goroutines.
func New(pool *background.Pool, options Options) *Notifier {
	return &Notifier{options: options, pool: pool}
}

// Actions are those that workflow.Options takes.
func (n *Notifier) Actions() map[string]workflow.Action {
	return map[string]workflow.Action{Name: n.notify}
}

// notify sends once for each try at the step; the workflow bounds the tries and spaces them.
func (n *Notifier) notify(ctx context.Context, request workflow.Request) (workflow.Outcome, error) {
	parameters, err := decode(request.Parameters)
	if err != nil {
		return workflow.Outcome{}, &workflow.FailureError{Err: err}
	}
	body, err := parameters.body(request.Identity)
	if err != nil {
		return workflow.Outcome{}, &workflow.FailureError{Err: err}
	}
	if parameters.URL == "" && parameters.URLSecretRef == nil && n.options.DefaultURL == "" {
		return workflow.Outcome{
			Progress: workflow.Progress{Done: true, Message: "nobody is told: neither the step nor the agent has a URL"},
			Returns:  map[string]any{"delivered": false, "status": 0, "response": ""},
		}, nil
	}
	return n.pool.Advance(background.Work{
		Identity: request.Identity, Name: Name, Limit: 2 * timeout,
		Do: func(ctx context.Context) (map[string]any, error) {
			target, err := n.target(ctx, request, parameters)
			if err != nil {
				return nil, err
			}
			return n.send(ctx, request.Identity, target, parameters.Headers, body)
		},
	})
}

// send makes one request. Its errors never hold the address, which may be a secret.
func (n *Notifier) send(
	ctx context.Context, identity workflow.Identity, target string, headers map[string]string, body []byte,
) (map[string]any, error) {
	bounds := outbound.Options{PlainHTTP: anyHost, LinkLocal: n.options.AllowLinkLocal}
	client, err := outbound.NewClient(bounds)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, &workflow.FailureError{Err: errors.New("the URL is none: it must be one such as https://host/path")}
	}
	if err := bounds.CheckURL(request.URL); err != nil {
		return nil, &workflow.FailureError{Err: fmt.Errorf("the URL cannot be used: %w", err)}
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	request.Header.Set(IdempotencyKey, identity.Hash())
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the receiver was not reached: %w", withoutURL(err))
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return nil, fmt.Errorf("the receiver's answer broke off: %w", withoutURL(err))
	}
	return verdict(response.StatusCode, string(answer))
}

func anyHost(string) bool { return true }

// verdict tells what another try may change from what it cannot.
func verdict(status int, answer string) (map[string]any, error) {
	switch {
	case status >= 200 && status < 300:
		return map[string]any{"delivered": true, "status": status, "response": answer}, nil
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		return nil, fmt.Errorf("the receiver answered %d %s", status, http.StatusText(status))
	}
	return nil, &workflow.FailureError{Err: fmt.Errorf("the receiver answered %d %s", status, http.StatusText(status))}
}

// withoutURL is the cause of a failed request. What is around it holds the address.
func withoutURL(err error) error {
	for wrapped := (*url.Error)(nil); errors.As(err, &wrapped); {
		err = wrapped.Err
	}
	return err
}

// body is what the receiver gets: what is known of the step, under what the step adds.
func (p *parameters) body(identity workflow.Identity) ([]byte, error) {
	content := map[string]any{
		"component": identity.Component.Name, "namespace": identity.Component.Namespace, "event": p.Event,
		"message": p.Message, "step": identity.Step, "identity": identity.Hash(), "time": time.Now().UTC().Format(time.RFC3339),
	}
	maps.Copy(content, p.Body)
	encoded, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("its body cannot be encoded: %w", err)
	}
	if len(encoded) > maxBody {
		return nil, fmt.Errorf("its body has %d bytes; at most %d are sent", len(encoded), maxBody)
	}
	return encoded, nil
}
