package offline

import (
	"os"
	"testing"

	"wheelwright.dev/wheelwright/shared/evaluate"
)

// bench serves all tests of the package.
var bench *Workbench

func TestMain(m *testing.M) {
	ServeIfWorker()
	bench = NewWorkbench(evaluate.Options{})
	code := m.Run()
	bench.Close()
	os.Exit(code)
}
