package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Identity tells one step of one event of one Component from all others. It survives restarts of the process, so that what
// a step makes can be found again by it.
type Identity struct {
	Component Component
	EventID   string
	Step      string
	// Call is the path of the action in the step's template, since one template may call several. Empty for the root.
	Call string
	// Attempt counts the restarts by people. A step that is restarted is a new one.
	Attempt int32
}

// Hash is the identity in 20 letters and digits. Parts cannot run into each other: each one comes with its length.
func (i Identity) Hash() string {
	sum := sha256.New()
	for _, part := range []string{string(i.Component.UID), i.EventID, i.Step, i.Call, fmt.Sprint(i.Attempt)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:10])
}

// Name is a name for an object that the step makes. It starts with the Component's, as far as there is room in a label.
func (i Identity) Name() string { return nameFor(i.Component, i.Hash()) }

func nameFor(component Component, id string) string {
	const room = 63 - 1 - 20
	name := strings.ReplaceAll(component.Name, ".", "-")
	name = strings.TrimRight(name[:min(len(name), room)], "-")
	return name + "-" + id
}
