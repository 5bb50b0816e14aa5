// Package local keeps one embedded fleet in a folder: who runs it, and how to reach and to end it.
package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Folder is the folder of a fleet. A lock on a file in it is held for as long as the fleet runs, by the process that runs
// it; the kernel lets go of it however that process ends.
type Folder struct{ path string }

// State is what a running fleet says of itself.
type State struct {
	// Pid of the process that runs the fleet.
	Pid int `json:"pid"`
	// Kubeconfig with a context for each cluster.
	Kubeconfig string `json:"kubeconfig"`
	Hub        string `json:"hub"`
	// Spokes by name.
	Spokes []string `json:"spokes"`
}

// At is the fleet folder of that path.
func At(path string) Folder { return Folder{path} }

// Path of the folder.
func (f Folder) Path() string { return f.path }

// Log is where the parts of a fleet that are no programs of their own log.
func (f Folder) Log() string { return filepath.Join(f.path, "fleet.log") }

// RunningError says that the folder's fleet is running.
type RunningError struct {
	Folder string
	State  State
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("a fleet is already running in %s (pid %d): use it, or stop it with 'wheel down --dir %s'", e.Folder, e.State.Pid, e.Folder)
}

// Claim takes the folder for a new fleet and clears what a former one left. It returns *RunningError when a fleet runs.
// The claim ends with release, or with this process.
func (f Folder) Claim() (release func() error, err error) {
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return nil, err
	}
	lock, err := f.lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		state, _ := f.State() // the fleet may not have written it yet
		return nil, &RunningError{Folder: f.path, State: state}
	}
	if err != nil {
		return nil, err
	}
	if err := f.clear(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil
}

// AwaitEnd returns when no process holds the folder any more.
func (f Folder) AwaitEnd() error {
	lock, err := f.lock(syscall.LOCK_EX)
	if err != nil {
		return err
	}
	return lock.Close()
}

// Running reports whether a fleet runs in the folder.
func (f Folder) Running() bool {
	if _, err := os.Stat(f.lockFile()); err != nil {
		return false
	}
	lock, err := f.lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if err != nil {
		return errors.Is(err, syscall.EWOULDBLOCK)
	}
	return lock.Close() != nil
}

// Write publishes what the fleet says of itself.
func (f Folder) Write(state State) error {
	content, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	draft := f.stateFile() + ".new"
	if err := os.WriteFile(draft, content, 0o600); err != nil {
		return err
	}
	return os.Rename(draft, f.stateFile())
}

// State reads what the fleet said of itself.
func (f Folder) State() (State, error) {
	var state State
	content, err := os.ReadFile(f.stateFile())
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return state, fmt.Errorf("reading %s: %w", f.stateFile(), err)
	}
	return state, nil
}

// Remove deletes the folder of a fleet that has ended.
func (f Folder) Remove() error { return os.RemoveAll(f.path) }

func (f Folder) stateFile() string { return filepath.Join(f.path, "fleet.json") }
func (f Folder) lockFile() string  { return filepath.Join(f.path, "lock") }

func (f Folder) lock(how int) (*os.File, error) {
	file, err := os.OpenFile(f.lockFile(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), how); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// clear removes everything but the lock.
func (f Folder) clear() error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == filepath.Base(f.lockFile()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.path, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
