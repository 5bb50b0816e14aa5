package why

import (
	"cmp"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
)

// withCulprit adds the object that keeps a Component from going on, where one can be told, and what to do about that.
func (s *subject) withCulprit(found *finding) *finding {
	culprit := s.Worst()
	switch {
	case culprit == nil || culprit == s.Node:
		return found
	case culprit.Component != nil:
		return s.through(culprit, "is not healthy because of")
	}
	state := cmp.Or(culprit.Reason, string(culprit.Health))
	if text := detail(culprit.Message); text != "" {
		state += ", " + text
	}
	found.because += fmt.Sprintf("; look at %s: %s", culprit.Title(), state)
	found.next = s.remedy(culprit)
	return found
}

// remedy is what to do about an object that is in the way.
func (s *subject) remedy(culprit *live.Node) string {
	describe := s.describe(culprit)
	switch {
	case culprit.Health == live.Missing:
		return s.wheel("events")
	case culprit.Health == live.Foreign:
		return "delete or rename the object that is in the way: " + describe
	case culprit.Kind != "Pod":
		return describe
	}
	switch reason := culprit.Reason; {
	case strings.Contains(reason, "Image"):
		return fmt.Sprintf("correct the image's name, or the right to pull it; %s says more", describe)
	case reason == "CrashLoopBackOff", reason == "Error", reason == "OOMKilled":
		return s.kubectl(culprit.Namespace, "logs %s --all-containers --previous", culprit.Name)
	case reason == "NotReady":
		return s.kubectl(culprit.Namespace, "logs %s --all-containers", culprit.Name)
	}
	return describe
}

// isAbove tells whether a Component is among those that led here.
func (s *subject) isAbove(key client.ObjectKey) bool { return s.ofPath(key) != nil }

// ofPath is a Component that led here, or nil.
func (s *subject) ofPath(key client.ObjectKey) *live.Node {
	for _, above := range s.path {
		if above != key {
			continue
		}
		if other := s.Others[key]; other != nil {
			return other
		}
		if client.ObjectKeyFromObject(s.Tree.Component) == key {
			return s.Tree
		}
	}
	return nil
}
