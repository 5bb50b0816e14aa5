package offline

import (
	"sync/atomic"

	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/worker"
)

// Workbench does what definition authors do without a cluster. Definitions are evaluated in worker processes, as on a spoke: one
// that never ends is an error here too.
type Workbench struct {
	evaluator *evaluate.Evaluator
	readers   *worker.Pool[question, answer]
	looks     atomic.Int64
}

// NewWorkbench makes a Workbench. The program must call ServeIfWorker first thing in main.
func NewWorkbench(options evaluate.Options) *Workbench {
	evaluator := evaluate.New(options)
	options.Kind = kindReader
	return &Workbench{evaluator: evaluator, readers: worker.NewPool[question, answer](options)}
}

// Close ends the worker processes.
func (b *Workbench) Close() {
	b.evaluator.Close()
	b.readers.Close()
}

// ServeIfWorker evaluates for another process, where this one was started to do so, and ends it then. Otherwise it returns at
// once.
func ServeIfWorker() {
	evaluate.ServeIfWorker()
	worker.Serve(kindReader, (&answerer{}).answer)
}
