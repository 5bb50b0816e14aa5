package workflow

import (
	"context"

	monitor "github.com/kubevela/pkg/monitor/context"
)

// tracer is the engine's tracing context without its log, which would hold what steps were given, Secrets included. What
// went wrong is in the status of the step.
type tracer struct {
	context.Context
	id string
}

var _ monitor.Context = &tracer{}

func (t *tracer) GetContext() context.Context                      { return t.Context }
func (t *tracer) SetContext(ctx context.Context)                   { t.Context = ctx }
func (t *tracer) AddTag(...any) monitor.Context                    { return t }
func (t *tracer) GetID() string                                    { return t.id }
func (t *tracer) Fork(string, ...monitor.Exporter) monitor.Context { return &tracer{t.Context, t.id} }
func (*tracer) Commit(string)                                      {}
func (*tracer) Info(string, ...any)                                {}
func (*tracer) InfoDepth(int, string, ...any)                      {}
func (*tracer) Error(error, string, ...any)                        {}
func (*tracer) ErrorDepth(int, error, string, ...any)              {}
func (*tracer) Printf(string, ...any)                              {}
func (*tracer) V(int)                                              {}
