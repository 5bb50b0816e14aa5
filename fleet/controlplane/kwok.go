package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	nodeheartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
)

// runKwok does what kwok's own main does, with two differences.
//
// It starts from an empty pflag.CommandLine: the Kubernetes programs in this binary have
// put flags of kwok's names there, and pflag panics on a second definition.
//
// It brings its stages along. Stages are the rules by which kwok moves nodes and pods from
// one state to the next, and kwok refuses to start without any; those of the "fast" set
// make a node Ready, a pod Running and a Job's pod Succeeded at once.
func runKwok() int {
	pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ContinueOnError)
	if err := feedStages(); err != nil {
		fmt.Fprintln(os.Stderr, "kwok: hand over the stages:", err)
		return 1
	}
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, logger := log.InitFlags(ctx, flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err != nil {
		logger.Error("read the configuration", "err", err)
		return 1
	}
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)
	command.SetArgs(os.Args[1:])
	if err := command.ExecuteContext(ctx); err != nil {
		logger.Error("run", "err", err)
		return 1
	}
	return 0
}

// feedStages makes kwok read the embedded stages as its configuration: kwok takes them only
// from a file or from standard input, and standard input leaves no file to clean up.
func feedStages() error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	os.Stdin = reader
	os.Args = append(os.Args, "--config=-")
	stages := strings.Join([]string{
		nodefast.DefaultNodeInit,
		nodeheartbeat.DefaultNodeHeartbeat,
		podfast.DefaultPodReady,
		podfast.DefaultPodComplete,
		podfast.DefaultPodDelete,
	}, "\n---\n")
	go func() {
		// A failed write shows as kwok's own "no stages" error: nobody else reads the pipe.
		_, _ = writer.WriteString(stages)
		_ = writer.Close()
	}()
	return nil
}
