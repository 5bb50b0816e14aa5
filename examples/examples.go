// Package examples holds the examples that programs and tests of this project run.
package examples

import "embed"

// Quickstart is the folder quickstart: a definition, and an application of it.
//
//go:embed quickstart/*.yaml
var Quickstart embed.FS
