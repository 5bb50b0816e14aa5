package embedded

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeName is the one node of a control plane, which kwok plays.
const NodeName = "kwok-0"

// kwok plays the nodes that have this annotation.
const (
	kwokAnnotation = "kwok.x-k8s.io/node"
	kwokFake       = "fake"
)

// createNode registers the node as a kubelet would, with room for whatever a test may run:
// nothing really runs there.
func (c *ControlPlane) createNode(ctx context.Context) error {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("1000"),
		corev1.ResourceMemory:           resource.MustParse("4Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("16Ti"),
		corev1.ResourcePods:             resource.MustParse("10000"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: NodeName,
			Labels: map[string]string{
				corev1.LabelHostname:   NodeName,
				corev1.LabelArchStable: "amd64",
				corev1.LabelOSStable:   "linux",
			},
			Annotations: map[string]string{kwokAnnotation: kwokFake},
		},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
	if _, err := c.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("register node %s: %w", NodeName, err)
	}
	return nil
}

// nodeReady reports whether pods can be scheduled to the node.
func (c *ControlPlane) nodeReady(ctx context.Context) error {
	node, err := c.client.CoreV1().Nodes().Get(ctx, NodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status != corev1.ConditionTrue {
			return fmt.Errorf("node %s is not ready: %s", NodeName, condition.Message)
		}
	}
	if len(node.Status.Conditions) == 0 {
		return fmt.Errorf("kwok has not reported on node %s yet", NodeName)
	}
	for _, taint := range node.Spec.Taints {
		return fmt.Errorf("node %s is tainted %s", NodeName, taint.Key)
	}
	return nil
}
