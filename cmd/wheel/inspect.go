package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/events"
	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/cli/why"
)

// readTree reads a Component and all below it.
func (i *inspection) readTree(command *cobra.Command, name string) (*live.Node, error) {
	var tree *live.Node
	err := whileSlow(command, "reading what is below Component "+name, func() error {
		component, err := live.Get(command.Context(), i.cluster, i.key(name))
		if err != nil {
			return err
		}
		tree, err = live.Tree(command.Context(), i.cluster, component)
		return err
	})
	return tree, err
}

func treeCommand() *cobra.Command {
	show := &inspection{outputs: []string{"json", "yaml"}}
	all := false
	command := show.command("Show a Component, what it is made of on its cluster, and how each object stands", func(command *cobra.Command, name string) error {
		tree, err := show.readTree(command, name)
		if err != nil {
			return err
		}
		if show.output != "" {
			return printValue(command, tree, show.output)
		}
		printer := live.Printer{Now: time.Now(), All: all}
		if err := printer.Print(command.OutOrStdout(), tree); err != nil || tree.Healthy() {
			return err
		}
		_, err = fmt.Fprintf(command.OutOrStdout(), "\nNext: wheel why component %s -n %s\n", name, show.namespace)
		return err
	})
	command.Flags().BoolVar(&all, "all", false, "show every object, however many are healthy")
	return verb("tree", "Show what something is made of, down to the pods", command)
}

func whyCommand() *cobra.Command {
	ask := &inspection{outputs: []string{"json", "yaml"}}
	command := ask.command("Say in one sentence what a Component waits for, and what to do", nil)
	command.Long = "Say in one sentence what a Component waits for or what is wrong with it, and what to do next.\n" +
		"The exit code is 0 if it is healthy, 1 if it is not, and 2 if that cannot be known."
	command.RunE = func(command *cobra.Command, args []string) error {
		answer, err := ask.why(command, args[0])
		if err == nil {
			err = ask.answer(command, answer)
		}
		if err != nil {
			return &exitError{code: exitUnknown, err: err}
		}
		if !answer.Healthy {
			return &exitError{code: exitNotHealthy}
		}
		return nil
	}
	return verb("why", "Say what something waits for, and what to do", command)
}

func (i *inspection) why(command *cobra.Command, name string) (why.Answer, error) {
	if err := i.connect(); err != nil {
		return why.Answer{}, err
	}
	var facts why.Facts
	err := whileSlow(command, "looking into Component "+name, func() error {
		component, err := live.Get(command.Context(), i.cluster, i.key(name))
		if err != nil {
			return err
		}
		facts, err = why.Gather(command.Context(), i.cluster, component)
		return err
	})
	if err != nil {
		return why.Answer{}, err
	}
	facts.Context = i.context
	return why.Explain(facts), nil
}

func (i *inspection) answer(command *cobra.Command, answer why.Answer) error {
	if i.output != "" {
		return printValue(command, answer, i.output)
	}
	return answer.Print(command.OutOrStdout())
}

func eventsCommand() *cobra.Command {
	show := &inspection{outputs: []string{"json"}}
	follow := false
	command := show.command("Show what happened to a Component and to all that it owns, the oldest first", func(command *cobra.Command, name string) error {
		tree, err := show.readTree(command, name)
		if err != nil {
			return err
		}
		if follow {
			return show.follow(command, tree)
		}
		return show.events(command, tree)
	})
	command.Flags().BoolVarP(&follow, "watch", "w", false, "go on until it is interrupted; with -o json, one event a line")
	return verb("events", "Show what happened to something", command)
}

// events shows what could be read, also where the rest could not.
func (i *inspection) events(command *cobra.Command, tree *live.Node) error {
	var entries []events.Entry
	failed := whileSlow(command, "reading the events", func() (err error) {
		entries, err = events.List(command.Context(), i.cluster, tree)
		return err
	})
	var err error
	switch {
	case i.output != "":
		err = printValue(command, entries, i.output)
	case len(entries) > 0:
		err = events.Print(command.OutOrStdout(), entries, time.Now())
	case failed == nil:
		_, err = fmt.Fprintln(command.OutOrStdout(), "There are no events: Kubernetes keeps them for an hour.")
	}
	return errors.Join(failed, err)
}

// follow ends well when it is interrupted, since nothing else ends it.
func (i *inspection) follow(command *cobra.Command, tree *live.Node) error {
	out := command.OutOrStdout()
	err := events.Follow(command.Context(), i.cluster, tree, func(entry events.Entry) error {
		if i.output == "" {
			return entry.PrintLine(out)
		}
		return json.NewEncoder(out).Encode(entry)
	})
	if command.Context().Err() != nil {
		return nil
	}
	return err
}
