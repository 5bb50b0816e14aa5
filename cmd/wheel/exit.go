package main

// Exit codes of commands that answer a question by yes or no: `wheel def diff`, as diff has them, and `wheel why`. Yes is 0.
const (
	exitDifferent  = 1
	exitNotHealthy = 1
	exitUnknown    = 2
)

// exitError ends the program with a code of its own.
type exitError struct {
	code int
	// err is nil where all is said already.
	err error
}

// Error is what is left to say, or "".
func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap gives the error that the code is for.
func (e *exitError) Unwrap() error { return e.err }
