// Package fleet brings up a hub and its spokes for demonstrations, tests and benchmarks, with Wheelwright running on all of
// them as it is delivered. Nothing of Wheelwright knows what it runs on.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/rest"

	"wheelwright.dev/wheelwright/fleet/ocm/work"
)

// Cluster is one cluster of a fleet, as its administrator sees it.
type Cluster struct {
	Name string
	// Kubeconfig is the path of a kubeconfig file.
	Kubeconfig string
	Config     *rest.Config
}

// Fleet is a running fleet.
type Fleet interface {
	Hub() Cluster
	// Spokes in the order of their options.
	Spokes() []Cluster
	// Done is closed when the fleet has ended, by itself or by Stop.
	Done() <-chan struct{}
	// Err is what ended the fleet by itself.
	Err() error
	// Stop ends the fleet and returns when nothing of it is left.
	Stop(ctx context.Context) error
}

// Spoke describes a cluster that joins the fleet.
type Spoke struct {
	Name   string
	Labels map[string]string
}

// Options of a fleet.
type Options struct {
	// Dir is where its files are: kubeconfigs, logs and data.
	Dir string
	// Hub is the hub's name in kubeconfigs; default "hub".
	Hub string
	// HubPort is the port of the hub's API server; 0 picks a free one.
	HubPort int
	// Spokes to join; names are unique.
	Spokes []Spoke
	// Feedback says whether the work agents watch, as those of newer OCM releases, or poll.
	Feedback work.FeedbackMode
	// PollInterval is the least time between two polls of one object; 0 is OCM's default of 10 s.
	PollInterval time.Duration
	// WithoutWheelwright leaves out our own hub manager and agents, for tests that run them otherwise.
	WithoutWheelwright bool
	// Progress is told of each step; nil tells nobody.
	Progress Progress
}

// Progress is told that a step begins, and by the function that it returns how the step ended. Steps may overlap.
type Progress func(step string) (done func(error))

// DefaultSpokes are the two clusters of the demonstration.
func DefaultSpokes() []Spoke {
	return []Spoke{
		{Name: "dev-eu", Labels: map[string]string{"env": "dev", "region": "eu"}},
		{Name: "prod-eu", Labels: map[string]string{"env": "prod", "region": "eu"}},
	}
}

// complete fills in defaults and refuses what cannot work.
func (o Options) complete() (Options, error) {
	if o.Hub == "" {
		o.Hub = "hub"
	}
	if o.Progress == nil {
		o.Progress = func(string) func(error) { return func(error) {} }
	}
	names := []string{o.Hub}
	for _, spoke := range o.Spokes {
		if slices.Contains(names, spoke.Name) || spoke.Name == "" {
			return o, fmt.Errorf("each cluster of a fleet needs a name of its own, %q is not", spoke.Name)
		}
		names = append(names, spoke.Name)
	}
	if o.Dir == "" {
		return o, errors.New("a fleet needs a folder for its files")
	}
	return o, nil
}

// step runs one step and tells progress of it.
func (o Options) step(name string, run func() error) error {
	done := o.Progress(name)
	err := run()
	done(err)
	return err
}
