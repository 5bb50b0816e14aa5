package pods

import (
	"context"
	"net/http"
	"time"
)

const (
	// probeStarting is how often a process that is not ready is asked, probeReady one that is.
	probeStarting = 50 * time.Millisecond
	probeReady    = time.Second
	probeTimeout  = 2 * time.Second
)

// probe keeps the pod's readiness up to date until ctx ends. A process that serves no health
// is ready as soon as it runs.
func (p *pod) probe(ctx context.Context, url string) {
	if url == "" {
		p.setReady(true)
		return
	}
	client := &http.Client{Timeout: probeTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	ready := false
	for {
		if now := answers(ctx, client, url); now != ready && ctx.Err() == nil {
			ready = now
			p.setReady(now)
		}
		pause := probeStarting
		if ready {
			pause = probeReady
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (p *pod) setReady(ready bool) {
	p.note(func() {
		p.ready = ready
		if ready {
			p.failures = 0
		}
	})
}

func answers(ctx context.Context, client *http.Client, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
