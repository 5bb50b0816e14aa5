package main

import (
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	given, err := parse([]string{"--leader-elect", "--concurrency=3", "--kube-api-qps=5.5", "--health-probe-bind-address=:1", "--metrics-bind-address=:2"})
	if err != nil {
		t.Fatal(err)
	}
	if !given.leaderElect || given.concurrency != 3 || given.qps != 5.5 || given.probes != ":1" || given.metrics != ":2" {
		t.Errorf("got %+v", given)
	}
	if _, err := parse([]string{"serve"}); err == nil || !strings.Contains(err.Error(), `"serve"`) {
		t.Errorf("got %v, want an error that names the argument", err)
	}
	if _, err := parse([]string{"--help"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got %v, want help", err)
	}
}
