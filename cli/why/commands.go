package why

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"wheelwright.dev/wheelwright/cli/live"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// kubectl is a command that looks into the namespace.
func (f *Facts) kubectl(namespace, format string, args ...any) string {
	parts := []string{"kubectl"}
	if f.Context != "" {
		parts = append(parts, "--context", f.Context)
	}
	if namespace != "" {
		parts = append(parts, "-n", namespace)
	}
	return strings.Join(append(parts, fmt.Sprintf(format, args...)), " ")
}

// wheel is a command about the Component.
func (s *subject) wheel(verb string) string {
	command := fmt.Sprintf("wheel %s component %s -n %s", verb, s.Name, s.Namespace)
	if s.Context != "" {
		command += " --context " + s.Context
	}
	return command
}

// describe shows all that is known of an object.
func (f *Facts) describe(node *live.Node) string {
	group, _, isNamed := strings.Cut(node.APIVersion, "/")
	kind := strings.ToLower(node.Kind)
	if isNamed {
		kind += "." + group
	}
	return f.kubectl(node.Namespace, "describe %s %s", kind, node.Name)
}

// edit says where a Component's spec is changed: not on the spoke where it comes from a hub, or from another Component.
func (s *subject) edit() string {
	labels := s.Component.Labels
	if parent := labels[corev1alpha1.ComponentNameLabel]; parent != "" {
		namespace := cmp.Or(labels[corev1alpha1.ComponentNamespaceLabel], s.Namespace)
		return fmt.Sprintf("change Component %s/%s, or its definition, which makes this one", namespace, parent)
	}
	if application := labels[corev1alpha1.ApplicationLabel]; application != "" {
		return fmt.Sprintf("change component %s of Application %s on the hub",
			cmp.Or(labels[corev1alpha1.ApplicationComponentLabel], s.Name), application)
	}
	if s.Component.Spec.Revision != "" {
		return "change it on the hub that dispatched it"
	}
	return s.kubectl(s.Namespace, "edit component %s", s.Name)
}

// grant says who is to get a right that something was refused for.
func (s *subject) grant() string {
	if s.condition(condition.Verified).Reason != condition.ReasonStandalone {
		return "give the agent's ServiceAccount the right that the message names; it tries again by itself"
	}
	account := cmp.Or(s.Component.Spec.ServiceAccountName, "default")
	return s.kubectl(s.Namespace, "create rolebinding %s --clusterrole=edit --serviceaccount=%s:%s, or a role with less; it is tried again by itself",
		account, s.Namespace, account)
}

// cueFile finds the place that an error in a definition names.
var cueFile = regexp.MustCompile(`([\w./-]+\.cue):(\d+)`)

// editDefinition says which file to correct.
func (s *subject) editDefinition(message string) string {
	what := "correct definition " + s.Component.Spec.Type
	if at := cueFile.FindStringSubmatch(message); at != nil {
		what = fmt.Sprintf("correct line %s of %s in definition %s", at[2], at[1], s.Component.Spec.Type)
	}
	return what + ", then wheel vet DIR and wheel def apply DIR"
}
