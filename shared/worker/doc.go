// Package worker runs calls in worker processes: copies of the program's own binary that do nothing else. What happens in one
// (a call that never ends, or takes all memory, or overflows the stack) ends that process and nothing else.
//
// A program serves by calling Serve first thing in main, which returns at once where it was not started as a worker; and
// calls through a Pool.
package worker
