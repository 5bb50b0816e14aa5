package workflows

import (
	"context"
	"fmt"
	"io"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Logs writes what each step of the newest run came to, and what the containers of its Jobs wrote. With a step it is of that
// one alone.
func Logs(ctx context.Context, out io.Writer, spoke kubernetes.Interface, component *corev1alpha1.Component, step string) error {
	run, err := runOf(component)
	if err != nil {
		return err
	}
	found := false
	for _, status := range run.Steps {
		if step != "" && status.Name != step {
			continue
		}
		found = true
		printStep(out, status)
		if status.Type != workflow.TypeRunJob {
			continue
		}
		if err := printJob(ctx, out, spoke, component, status.ID); err != nil {
			return err
		}
	}
	if step != "" && !found {
		return fmt.Errorf("no step %q has begun in the %s event", step, run.Event)
	}
	return nil
}

func printStep(out io.Writer, status workflow.StepStatus) {
	fmt.Fprintf(out, "%s (%s): %s", status.Name, status.Type, status.Phase)
	if status.Message != "" {
		fmt.Fprintf(out, ", %s", status.Message)
	}
	fmt.Fprintln(out)
}

// printJob writes the logs of the pods of the Job that a step made. A Job or pod that is gone has none.
func printJob(ctx context.Context, out io.Writer, spoke kubernetes.Interface, component *corev1alpha1.Component, id string) error {
	owned := client.MatchingLabels{corev1alpha1.ComponentUIDLabel: string(component.UID)}
	jobs, err := spoke.BatchV1().Jobs(component.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector(owned)})
	if err != nil {
		return fmt.Errorf("listing the Jobs of Component %s/%s: %w", component.Namespace, component.Name, err)
	}
	for _, job := range jobs.Items {
		if !strings.HasSuffix(job.Name, "-"+id) {
			continue
		}
		ofJob := client.MatchingLabels{batchv1.JobNameLabel: job.Name}
		pods, err := spoke.CoreV1().Pods(job.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector(ofJob)})
		if err != nil {
			return fmt.Errorf("listing the pods of Job %s/%s: %w", job.Namespace, job.Name, err)
		}
		for _, pod := range pods.Items {
			if err := printPod(ctx, out, spoke, pod); err != nil {
				return err
			}
		}
	}
	return nil
}

func printPod(ctx context.Context, out io.Writer, spoke kubernetes.Interface, pod corev1.Pod) error {
	stream, err := spoke.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{}).Stream(ctx)
	if err != nil {
		fmt.Fprintf(out, "  pod %s: no logs: %v\n", pod.Name, err)
		return nil
	}
	defer stream.Close()
	if _, err := io.Copy(out, stream); err != nil {
		return fmt.Errorf("reading the logs of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

func selector(labels client.MatchingLabels) string {
	return metav1.FormatLabelSelector(metav1.SetAsLabelSelector(map[string]string(labels)))
}
