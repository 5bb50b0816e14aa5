//go:build pins

// Package pins names the modules of the set that builds together (see docs/decisions/0005-pinned-modules.md) which no code
// imports yet, so that `go mod tidy` keeps them, and with them the versions of everything else. It is never compiled.
package pins

import (
	_ "github.com/kubevela/workflow/pkg/executor"
	_ "github.com/kubevela/workflow/pkg/generator"
	_ "open-cluster-management.io/addon-framework/pkg/addonfactory"
	_ "open-cluster-management.io/addon-framework/pkg/addonmanager"
)
