// Package vela renders definitions in the shape of KubeVela v1: a component's output and outputs, and the traits that
// patch them one after the other. It is pure, and follows KubeVela's own order and rules:
//
//   - The main object and the others stay CUE values between traits, so that a default can still be overridden by a later
//     trait; only a JSON patch or JSON merge patch decides the defaults.
//   - A trait sees the objects as they are so far in context.output and context.outputs, as JSON.
//   - Parameters are open unless the definition closes them, and one that is missing shows where it is needed.
//   - Parameters are read with their keys sorted, and a number that is whole is an integer however it is written.
//
// Where KubeVela loses a value, Wheelwright keeps it: integers keep every digit.
package vela
