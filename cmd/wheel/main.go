// Command wheel is what people use Wheelwright with.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/go-logr/logr"

	"wheelwright.dev/wheelwright/cli/offline"
)

func main() {
	offline.ServeIfWorker()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctrl.SetLogger(logr.Discard())
	root := &cobra.Command{
		Use:           "wheel",
		Short:         "Deliver components to fleets of Kubernetes clusters",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(demoCommand(), upCommand(), downCommand(), runFleetCommand(), getCommand(), workflowCommand())
	root.AddCommand(treeCommand(), whyCommand(), eventsCommand())
	root.AddCommand(renderCommand(), schemaCommand(), vetCommand(), testCommand(), defCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		os.Exit(explain(ctx, err))
	}
}

// explain says what went wrong, in one place for all commands, and returns the exit code.
func explain(ctx context.Context, err error) int {
	const interrupted = 130 // as shells have it: 128 + SIGINT
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || wait.Interrupted(err)) {
		fmt.Fprintln(os.Stderr, "wheel: interrupted; nothing is left running")
		return interrupted
	}
	code := 1
	if own := (*exitError)(nil); errors.As(err, &own) {
		code = own.code
	}
	if message := err.Error(); message != "" {
		fmt.Fprintln(os.Stderr, "wheel:", message)
	}
	return code
}
