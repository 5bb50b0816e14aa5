package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/render"
)

// How many renders are measured: enough that workers and CUE contexts are replaced on the way, as they are in an agent.
const (
	warmRenders     = 3000
	coldRenders     = 200
	parallelRenders = 4000
	renderWarmUp    = 200
)

// rendering measures what a render costs: beside the bare evaluation of the same by CUE, beside compiling everything afresh,
// and on one CPU beside two. What passing it to a worker process and back costs is part of it.
func rendering(ctx context.Context) ([]record, error) {
	evaluator := evaluate.New(evaluate.Options{Size: 1})
	defer evaluator.Close()
	if err := sameAsFloor(ctx, evaluator); err != nil {
		return nil, err
	}
	warm, bare, err := besideFloor(ctx, evaluator)
	if err != nil {
		return nil, err
	}
	afresh, err := compiledAfresh()
	if err != nil {
		return nil, err
	}
	one, err := rate(ctx, 1)
	if err != nil {
		return nil, err
	}
	all, err := rate(ctx, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	return []record{
		newRecord("render-warm", "ms", percentile(warm, 50), percentile(bare, 50), "at most 1.5 × CUE alone"),
		newRecord("render-warm-p99", "ms", percentile(warm, 99), percentile(bare, 99), "none"),
		newRecord("render-cold", "ms", percentile(afresh, 50), percentile(warm, 50), "at least 10 × a warm render"),
		newRecord("render-parallel", "/s", all, one, fmt.Sprintf("at least 1.5 × one worker, with %d", runtime.GOMAXPROCS(0))),
	}, nil
}

// sameAsFloor makes sure that the floor evaluates the same.
func sameAsFloor(ctx context.Context, evaluator *evaluate.Evaluator) error {
	floor, err := newBareCUE()
	if err != nil {
		return err
	}
	if err := floor.prepare(); err != nil {
		return err
	}
	work, err := webservice(1)
	if err != nil {
		return err
	}
	got, err := evaluator.Render(ctx, work)
	if err != nil {
		return err
	}
	deployment, service, err := floor.evaluate(1)
	if err != nil {
		return err
	}
	for i, text := range [][]byte{deployment, service} {
		var want map[string]any
		if err := utiljson.Unmarshal(text, &want); err != nil {
			return err
		}
		if !reflect.DeepEqual(got.Objects[i].Object.Object, want) {
			return fmt.Errorf("the floor evaluates to something else than what is rendered: %s and %v", text, got.Objects[i].Object.Object)
		}
	}
	return nil
}

// besideFloor takes both in turns, so that what else the machine does meets both.
func besideFloor(ctx context.Context, evaluator *evaluate.Evaluator) (warm, bare []time.Duration, err error) {
	floor, err := newBareCUE()
	if err != nil {
		return nil, nil, err
	}
	for n := range renderWarmUp + warmRenders {
		work, err := webservice(n)
		if err != nil {
			return nil, nil, err
		}
		if err := floor.prepare(); err != nil {
			return nil, nil, err
		}
		began := time.Now()
		if _, err := evaluator.Render(ctx, work); err != nil {
			return nil, nil, err
		}
		between := time.Now()
		if _, _, err := floor.evaluate(n); err != nil {
			return nil, nil, err
		}
		if n >= renderWarmUp {
			warm, bare = append(warm, between.Sub(began)), append(bare, time.Since(between))
		}
	}
	return warm, bare, nil
}

// compiledAfresh renders with definitions that are compiled for it, in this process.
func compiledAfresh() ([]time.Duration, error) {
	var taken []time.Duration
	for n := range coldRenders {
		work, err := webservice(n)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		compiler := render.NewCompiler(cue.Options{})
		request := render.Request{Type: work.Type, Properties: work.Properties, Context: work.Context}
		if request.Component, err = compiler.Component(work.Definition); err != nil {
			return nil, err
		}
		for _, trait := range work.Traits {
			compiled, err := compiler.Trait(trait.Definition)
			if err != nil {
				return nil, err
			}
			request.Traits = append(request.Traits, render.AppliedTrait{Type: trait.Type, Definition: compiled, Properties: trait.Properties})
		}
		if _, err := render.Render(request); err != nil {
			return nil, err
		}
		taken = append(taken, time.Since(began))
	}
	return taken, nil
}

// rate is how many renders a second so many workers do.
func rate(ctx context.Context, workers int) (float64, error) {
	evaluator := evaluate.New(evaluate.Options{Size: workers})
	defer evaluator.Close()
	several := func(renders int) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(2 * workers)
		for n := range renders {
			group.Go(func() error {
				work, err := webservice(n)
				if err != nil {
					return err
				}
				_, err = evaluator.Render(ctx, work)
				return err
			})
		}
		return group.Wait()
	}
	if err := several(renderWarmUp * workers); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := several(parallelRenders); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if took <= 0 {
		return 0, errors.New("the clock stands still")
	}
	return parallelRenders / took.Seconds(), nil
}
