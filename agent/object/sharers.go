package object

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Sharers reads the Components that share an object with its owner from its annotations. What is no Component's name is left
// out: anybody may write annotations.
func Sharers(annotations map[string]string) []Owner {
	var sharers []Owner
	for _, entry := range strings.Split(annotations[corev1alpha1.SharedByAnnotation], ",") {
		if parts := strings.Split(entry, "/"); len(parts) == 3 && !slices.Contains(parts, "") {
			sharers = append(sharers, Owner{Namespace: parts[0], Name: parts[1], UID: types.UID(parts[2])})
		}
	}
	return sharers
}

// SharersText is the annotation that Sharers reads. It is always the same for the same Components.
func SharersText(sharers []Owner) string {
	sharers = slices.Clone(sharers)
	slices.SortFunc(sharers, func(a, b Owner) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	entries := make([]string, 0, len(sharers))
	for _, one := range slices.Compact(sharers) {
		entries = append(entries, one.Namespace+"/"+one.Name+"/"+string(one.UID))
	}
	return strings.Join(entries, ",")
}

// IsOwnedBy tells whether labels name owner.
func IsOwnedBy(labels map[string]string, owner Owner) bool {
	return labels[corev1alpha1.ComponentUIDLabel] == string(owner.UID)
}
