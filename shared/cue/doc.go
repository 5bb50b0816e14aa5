// Package cue compiles component definitions and evaluates them: which parameters they accept, what they render to, when
// what they rendered is healthy, and what it exports. It is pure: values in, values out. Hub and agent share it, so that
// the hub refuses exactly what a spoke would refuse.
//
// A definition is written in the shape of KEP-2.1: parameters (or parameter), outputs, isHealthy, message and exports at
// the top level of one package, spread over as many files as the author likes. `context` and the properties are put in
// from outside. A trait's has phase, patch and outputs. Definitions in the shape of KubeVela v1 are package vela's; package
// render puts components and traits of both shapes together.
//
// CUE gives no way to stop or cap an evaluation; that is bounded here only by limits on the size and depth of what goes in.
// What it keeps: a context keeps what was built on it, so a Template evaluates on contexts that it throws away after a
// number of uses; and every name of a field that was ever seen stays in a table of the process, which nothing empties (CUE
// v0.14). So memory grows with the number of different field names, and not with the number of evaluations.
package cue
