package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Whatever was waited for when the interruption came, it is an interruption; and without one nothing is.
func TestInterruptionsAreToldFromFailures(t *testing.T) {
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, tc := range []struct {
		ctx  context.Context
		err  error
		code int
	}{
		{interrupted, fmt.Errorf("delivering: %w", context.Canceled), 130},
		{interrupted, fmt.Errorf("application shop did not become ready: %w", wait.ErrorInterrupted(nil)), 130},
		{interrupted, errors.New("the fleet cannot be ended"), 1},
		{t.Context(), fmt.Errorf("delivering: %w", context.Canceled), 1},
		{t.Context(), wait.ErrorInterrupted(nil), 1},
	} {
		if code := explain(tc.ctx, tc.err); code != tc.code {
			t.Errorf("%v: exit code %d, want %d", tc.err, code, tc.code)
		}
	}
}
