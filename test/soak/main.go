// Command soak renders again and again, no two times the same, and watches the memory of everything that takes part: this
// process and its worker processes. It fails when the second half needs more than the first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"wheelwright.dev/wheelwright/cli/terminal"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// grace is how much more the second half may need than the first, as a factor: the allocator does not give everything back
// at once.
const grace = 1.15

func main() {
	evaluate.ServeIfWorker()
	renders := flag.Int("renders", 1_000_000, "How many renders.")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *renders); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, renders int) error {
	steps := terminal.NewSteps(os.Stderr)
	defer steps.Close()
	evaluator := evaluate.New(evaluate.Options{})
	defer evaluator.Close()
	measured := &memory{}
	began := time.Now()
	// The first tenth fills caches, starts the workers and is not held against the rest.
	for part := range parts {
		var used *uint64
		switch {
		case part >= parts/10+(parts-parts/10)/2:
			used = &measured.second
		case part >= parts/10:
			used = &measured.first
		}
		err := steps.Run(fmt.Sprintf("renders up to %d", renders*(part+1)/parts), func() error {
			return measured.during(used, func() error {
				return render(ctx, evaluator, renders*part/parts, renders*(part+1)/parts)
			})
		})
		if err != nil {
			return err
		}
	}
	const mebibyte = 1 << 20
	fmt.Printf("%d renders in %v, %.0f a second; most memory in the first half %d MiB, in the second %d MiB\n",
		renders, time.Since(began).Round(time.Second), float64(renders)/time.Since(began).Seconds(), measured.first/mebibyte, measured.second/mebibyte)
	if float64(measured.second) > grace*float64(measured.first) {
		return errors.New("memory grows")
	}
	return nil
}

// parts are what is shown and measured one by one.
const parts = 20

func render(ctx context.Context, evaluator *evaluate.Evaluator, from, to int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for n := from; n < to && ctx.Err() == nil; n++ {
		group.Go(func() error { return renderOne(ctx, evaluator, n) })
	}
	return group.Wait()
}
