package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"wheelwright.dev/wheelwright/agent/background"
	"wheelwright.dev/wheelwright/agent/workflow"
)

// What `#do` calls the actions.
const (
	Install       = "helm-install"
	Upgrade       = "helm-upgrade"
	Uninstall     = "helm-uninstall"
	MigrateSchema = "helm-migrate-schema"
)

// Options are what the agent's operator decides.
type Options struct {
	// ChartDirectories are where charts of the agent's own disk may lie. None allows none.
	ChartDirectories []string
	// PlainHTTPHosts are repositories and registries that are asked without TLS, each as host or host:port.
	PlainHTTPHosts []string
	// LinkLocal allows charts from link-local addresses, such as those of cloud metadata services.
	LinkLocal bool
	// MaxChartSize bounds a packed chart, in bytes. Default 20 MiB.
	MaxChartSize int64
}

const defaultMaxChartSize = 20 << 20

// Helm gives the actions.
type Helm struct {
	options Options
	pool    *background.Pool
}

// New makes a Helm whose operations run in pool.
func New(pool *background.Pool, options Options) *Helm {
	if options.MaxChartSize <= 0 {
		options.MaxChartSize = defaultMaxChartSize
	}
	return &Helm{options: options, pool: pool}
}

// Actions are those that workflow.Options takes.
func (h *Helm) Actions() map[string]workflow.Action {
	return map[string]workflow.Action{
		Install:       h.action(Install, installParameters, (*operation).deploy),
		Upgrade:       h.action(Upgrade, upgradeParameters, (*operation).deploy),
		Uninstall:     h.action(Uninstall, uninstallParameters, (*operation).uninstall),
		MigrateSchema: h.action(MigrateSchema, migrateParameters, (*operation).migrate),
	}
}

// action runs do in the background. One release has one operation at a time.
func (h *Helm) action(
	name string, read func(workflow.Request) (*parameters, error), do func(*operation) (map[string]any, error),
) workflow.Action {
	return func(_ context.Context, request workflow.Request) (workflow.Outcome, error) {
		parameters, err := read(request)
		if err == nil && (request.Client == nil || request.Config == nil) {
			err = errors.New("no client was given to reach the cluster with")
		}
		if err != nil {
			return workflow.Outcome{}, &workflow.FailureError{Err: err}
		}
		subject := request.Identity.Component.Namespace + "/" + parameters.Release
		return h.pool.Advance(background.Work{
			Identity: request.Identity, Name: fmt.Sprintf("%s of release %s", name, subject), Subject: subject,
			// Helm bounds each part by the timeout: hooks before, waiting, hooks after, and taking it back.
			Limit: 4 * parameters.timeout,
			Do: func(ctx context.Context) (map[string]any, error) {
				op, err := h.begin(ctx, request, parameters)
				if err != nil {
					return nil, err
				}
				return op.run(do)
			},
		})
	}
}

// plainHTTP says whether a host is asked without TLS.
func (o Options) plainHTTP(host string) bool { return slices.Contains(o.PlainHTTPHosts, host) }

func refused(format string, args ...any) error {
	return &workflow.FailureError{Err: fmt.Errorf(format, args...)}
}
