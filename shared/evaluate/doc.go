// Package evaluate evaluates definitions and what is asked of them: rendering, health, exports, parameters. What CUE is given
// can take any time and any memory, and once it runs nothing can stop it. So evaluation happens in worker processes, and this
// package is the way to them: values in, values out.
package evaluate
