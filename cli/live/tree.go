package live

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// maxDepth bounds the Components that are followed one within the other; the agent makes fewer.
const maxDepth = 16

// maxLooks bounds the objects that are looked up one by one, since the lists do not show them.
const maxLooks = 20

// reading is one reading of a tree. It lists each kind once for each namespace and level of composition.
type reading struct {
	reader client.Reader
	root   *Node
	seen   map[types.UID]bool
	looks  int
}

// Tree reads a Component's outputs, those of the Components among them, and the pods below. What could not be read is said in the
// tree; the error is that of ctx.
func Tree(ctx context.Context, reader client.Reader, component *corev1alpha1.Component) (*Node, error) {
	root := &Node{
		APIVersion: corev1alpha1.GroupVersion.String(), Kind: "Component",
		Namespace: component.Namespace, Name: component.Name,
	}
	root.takeComponent(component)
	r := &reading{reader: reader, root: root, seen: map[types.UID]bool{component.UID: true}}
	level := []*Node{root}
	for depth := 0; len(level) > 0; depth++ {
		if depth == maxDepth {
			level[0].Unread = append(level[0].Unread, fmt.Sprintf("more than %d Components lie one within the other", maxDepth))
			break
		}
		next, err := r.outputs(ctx, level)
		if err != nil {
			return nil, err
		}
		level = next
	}
	if err := r.workloads(ctx); err != nil {
		return nil, err
	}
	return root, nil
}

// outputs reads what the Components of a level own, and gives back the Components among that.
func (r *reading) outputs(ctx context.Context, level []*Node) ([]*Node, error) {
	wanted := listings{}
	for _, parent := range level {
		resources, err := ownedObjects(ctx, r.reader, parent.Component)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			parent.Unread = append(parent.Unread, refusal("its ResourceTracker, which names what it owns", err))
			continue
		}
		for _, resource := range resources {
			kind := object.KindOfTracked(resource)
			node := &Node{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: resource.Namespace, Name: resource.Name,
				owner: parent.UID, once: resource.Applied}
			parent.Below = append(parent.Below, node)
			wanted.add(kind, parent, node)
		}
	}
	for _, one := range wanted.sorted() {
		if err := r.fill(ctx, one); err != nil {
			return nil, err
		}
	}
	var next []*Node
	for _, parent := range level {
		for _, node := range parent.Below {
			if node.Component != nil && !r.seen[node.UID] {
				r.seen[node.UID] = true
				next = append(next, node)
			}
		}
	}
	return next, nil
}
