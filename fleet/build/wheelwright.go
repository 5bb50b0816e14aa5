package build

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// Wheelwright builds the project's own programs, the hub manager, the spoke agent and the
// command line tool, into the folder bin of the checkout, and returns that folder.
// progress may be nil.
func Wheelwright(ctx context.Context, progress io.Writer) (string, error) {
	if progress == nil {
		progress = io.Discard
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(root, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	return bin, compile(ctx, progress, target{
		name:     "hub, agent and wheel",
		dir:      root,
		packages: []string{"./cmd/hub", "./cmd/agent", "./cmd/wheel"},
		output:   bin + string(filepath.Separator),
		duration: "about 3 minutes",
		retry:    "go run ./hack/build wheelwright",
	})
}
