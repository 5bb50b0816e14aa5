// Package why says in one sentence what a Component waits for or what is wrong with it, and what to do next.
package why

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// agentKey is the Deployment of the agent, as it is delivered.
var agentKey = client.ObjectKey{Namespace: "wheelwright-system", Name: "wheelwright-agent"}

// Agent is what is known of the agent's Deployment.
type Agent string

// States of the agent. It is Unknown where its Deployment cannot be read, or is not where the manifests have it.
const (
	AgentUnknown Agent = "Unknown"
	AgentRuns    Agent = "Runs"
	AgentDown    Agent = "Down"
)

// Facts are what an answer follows from.
type Facts struct {
	// Tree is the Component and all below it.
	Tree *live.Node
	// Others are the Components that those that wait may wait for. One that is not there is nil.
	Others map[client.ObjectKey]*live.Node
	Agent  Agent
	Now    time.Time
	// Context is that of the kubeconfig which was asked for, if any. Commands repeat it.
	Context string
}

// maxOthers bounds the Components that are read beside the one that was asked for.
const maxOthers = 50

// Gather reads what there is to know of a Component. What may not be read is left out.
func Gather(ctx context.Context, reader client.Reader, component *corev1alpha1.Component) (Facts, error) {
	tree, err := live.Tree(ctx, reader, component)
	if err != nil {
		return Facts{}, err
	}
	facts := Facts{Tree: tree, Others: map[client.ObjectKey]*live.Node{}, Agent: readAgent(ctx, reader), Now: time.Now()}
	return facts, facts.follow(ctx, reader)
}

// follow reads the Components that are waited for, those that these wait for, and so on.
func (f *Facts) follow(ctx context.Context, reader client.Reader) error {
	known := map[client.ObjectKey]bool{client.ObjectKeyFromObject(f.Tree.Component): true}
	for wanted := needed(f.Tree); len(wanted) > 0 && len(f.Others) < maxOthers; {
		key := wanted[0]
		wanted = wanted[1:]
		if known[key] {
			continue
		}
		known[key] = true
		found := &corev1alpha1.Component{}
		err := reader.Get(ctx, key, found)
		if apierrors.IsNotFound(err) {
			f.Others[key] = nil
			continue
		}
		if err != nil {
			return fmt.Errorf("reading Component %s, which is waited for: %w", key, err)
		}
		tree, err := live.Tree(ctx, reader, found)
		if err != nil {
			return err
		}
		f.Others[key] = tree
		wanted = append(wanted, needed(tree)...)
	}
	return nil
}

func readAgent(ctx context.Context, reader client.Reader) Agent {
	deployment := &appsv1.Deployment{}
	switch err := reader.Get(ctx, agentKey, deployment); {
	case err != nil:
		return AgentUnknown
	case deployment.Status.AvailableReplicas == 0:
		return AgentDown
	}
	return AgentRuns
}
