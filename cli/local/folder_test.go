package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOneFleetAFolder(t *testing.T) {
	folder := At(filepath.Join(t.TempDir(), "fleet"))
	if folder.Running() {
		t.Fatal("a fleet runs in a folder that does not exist")
	}
	release, err := folder.Claim()
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Write(State{Pid: 42, Hub: "hub", Spokes: []string{"dev-eu"}}); err != nil {
		t.Fatal(err)
	}
	if !folder.Running() {
		t.Error("the fleet is not seen to run")
	}
	var running *RunningError
	if _, err := folder.Claim(); !errors.As(err, &running) || running.State.Pid != 42 {
		t.Errorf("a second fleet got %v", err)
	}
	ended := make(chan error)
	go func() { ended <- folder.AwaitEnd() }()
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || folder.Running() {
		t.Errorf("after its end: %v, running %v", err, folder.Running())
	}
}

func TestClaimClearsWhatAFormerFleetLeft(t *testing.T) {
	folder := At(t.TempDir())
	left := filepath.Join(folder.Path(), "hub", "etcd")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	release, err := folder.Claim()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("old data is still there: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}
