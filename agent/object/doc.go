// Package object says of the objects that a Component renders which they are, whose they are, in which order they are
// applied, and whether their content changed. It is pure.
package object
