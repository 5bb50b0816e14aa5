package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Marks of a work. They are written in the same call as the content that they describe.
const (
	// KindLabel is on every work of ours: KindObject or KindNamespace.
	KindLabel = "dispatch.wheelwright.dev/work"
	// KindObject marks a work that carries an object for an owner.
	KindObject = "object"
	// KindNamespace marks a work that carries a namespace for whoever needs it.
	KindNamespace = "namespace"
	// OwnerUIDLabel holds the UID of the owner on the hub; pruning goes by it.
	OwnerUIDLabel = "dispatch.wheelwright.dev/owner-uid"
	// NamespaceLabel holds the namespace on the spoke that the work needs, or carries.
	NamespaceLabel = "dispatch.wheelwright.dev/namespace"

	// OwnerAnnotation names the owner: kind, namespace and name, separated by slashes.
	OwnerAnnotation = "dispatch.wheelwright.dev/owner"
	// ObjectAnnotation names the object for people.
	ObjectAnnotation = "dispatch.wheelwright.dev/object"
	// ContentHashAnnotation holds Content.Hash of what the work carries.
	ContentHashAnnotation = "dispatch.wheelwright.dev/content-hash"
	// RevisionAnnotation holds the revision that the object carries.
	RevisionAnnotation = "dispatch.wheelwright.dev/revision"
)

// Owner is the object on the hub for which something is delivered.
type Owner struct {
	Kind      string
	Namespace string
	Name      string
	UID       types.UID
}

func (o Owner) String() string { return o.Kind + "/" + o.Namespace + "/" + o.Name }

// ParseOwner reads the owner of a work, and false where it has none, as a namespace work.
func ParseOwner(work metav1.Object) (Owner, bool) {
	parts := strings.Split(work.GetAnnotations()[OwnerAnnotation], "/")
	uid := work.GetLabels()[OwnerUIDLabel]
	if len(parts) != 3 || uid == "" {
		return Owner{}, false
	}
	return Owner{Kind: parts[0], Namespace: parts[1], Name: parts[2], UID: types.UID(uid)}, true
}

// WorkName is the name of the work that carries an object. It depends on the object alone, so that whoever else wants to
// deliver the same object to the same cluster meets the first one's work. The readable part is for people: the hash
// decides.
func WorkName(kind, namespace, name string) string {
	const readable = 40
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", kind, namespace, name))
	if len(name) > readable {
		name = strings.TrimRight(name[:readable], "-.")
	}
	return strings.ToLower(kind) + "-" + name + "-" + hex.EncodeToString(sum[:10])
}

// WorkName is the name of the work that carries this content.
func (c *Content) WorkName() string {
	return WorkName(c.object.GetKind(), c.object.GetNamespace(), c.object.GetName())
}
