// Command fuzz runs every fuzz target of this module, one after the other, and ends at the first finding.
//
//	go run ./hack/fuzz -time 30s              all of them
//	go run ./hack/fuzz -time 10m Patch        those whose names have Patch in them
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	length := flag.Duration("time", 30*time.Second, "how long each target runs")
	parallel := flag.Int("parallel", 2, "how many processes work on a target at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, strings.Join(flag.Args(), " "), *length, *parallel); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the targets whose names contain only.
func run(ctx context.Context, only string, length time.Duration, parallel int) error {
	targets, err := findTargets(ctx, only)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return fmt.Errorf("there is no fuzz target with %q in its name", only)
	}
	started := time.Now()
	for _, one := range targets {
		if err := one.fuzz(ctx, length, parallel); err != nil {
			return err
		}
	}
	fmt.Printf("%d targets in %s, nothing found\n", len(targets), time.Since(started).Round(time.Second))
	return nil
}
