// Command build builds the programs of a fleet before they are needed, and prints where they
// are. What is built already is not built again.
//
//	go run ./hack/build               both of the following
//	go run ./hack/build controlplane  etcd, Kubernetes and kwok in one program
//	go run ./hack/build wheelwright   hub, agent and wheel, into bin/
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"wheelwright.dev/wheelwright/fleet/build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	what := os.Args[1:]
	if len(what) == 0 {
		what = []string{"wheelwright", "controlplane"}
	}
	for _, name := range what {
		path, err := run(ctx, name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}

// run builds one thing and returns the path of the result.
func run(ctx context.Context, name string) (string, error) {
	switch name {
	case "controlplane":
		assets, err := build.ControlPlane(ctx, os.Stderr)
		return assets.Binary, err
	case "wheelwright":
		return build.Wheelwright(ctx, os.Stderr)
	default:
		return "", fmt.Errorf("unknown target %q: choose controlplane, wheelwright, or none for both", name)
	}
}
