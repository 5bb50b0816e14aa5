package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// patient are reasons of waiting that are part of every start.
var patient = []string{"", "ContainerCreating", "PodInitializing"}

// podState says how a pod stands, with the one word that the kubelet has for what is wrong, and what it says of that. A
// container that cannot start comes before all else.
func podState(pod *corev1.Pod) (Health, string, string) {
	if pod.DeletionTimestamp != nil {
		return Terminating, "Terminating", ""
	}
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		return Current, "Completed", ""
	case corev1.PodFailed:
		return Failed, cmp.Or(pod.Status.Reason, ended(pod).reason, "Failed"), cmp.Or(pod.Status.Message, ended(pod).message)
	}
	for _, container := range containers(pod) {
		if waiting := container.State.Waiting; waiting != nil && !slices.Contains(patient, waiting.Reason) {
			return Failed, waiting.Reason, waitingText(container)
		}
	}
	for _, one := range pod.Status.Conditions {
		if one.Type == corev1.PodScheduled && one.Status == corev1.ConditionFalse {
			return InProgress, cmp.Or(one.Reason, "Unschedulable"), one.Message
		}
	}
	if crash := ended(pod); crash.reason != "" {
		return InProgress, crash.reason, crash.message
	}
	for _, container := range pod.Status.ContainerStatuses {
		switch {
		case container.State.Waiting != nil:
			return InProgress, container.State.Waiting.Reason, waitingText(container)
		case !container.Ready && container.State.Running != nil:
			return InProgress, "NotReady", notReadyText(container)
		}
	}
	for _, one := range pod.Status.Conditions {
		if one.Type == corev1.PodReady && one.Status == corev1.ConditionTrue {
			return Current, "", ""
		}
	}
	return InProgress, "", "it is not ready yet"
}

// containers are the states of all containers, those that run first at the front.
func containers(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

type ending struct{ reason, message string }

// ended is how a container of a pod ended badly, if one did.
func ended(pod *corev1.Pod) ending {
	for _, container := range containers(pod) {
		if end := container.State.Terminated; end != nil && end.ExitCode != 0 {
			return ending{cmp.Or(end.Reason, "Error"), fmt.Sprintf("container %s %s", container.Name, exitText(end))}
		}
	}
	return ending{}
}

func waitingText(container corev1.ContainerStatus) string {
	parts := []string{fmt.Sprintf("container %s waits", container.Name)}
	if message := container.State.Waiting.Message; message != "" {
		parts = append(parts, message)
	}
	if last := container.LastTerminationState.Terminated; last != nil {
		parts = append(parts, "the last time, it "+exitText(last))
	}
	return strings.Join(parts, ": ")
}

func notReadyText(container corev1.ContainerStatus) string {
	text := fmt.Sprintf("container %s runs and is not ready", container.Name)
	if last := container.LastTerminationState.Terminated; last != nil {
		text += "; the last time, it " + exitText(last)
	}
	return text
}

func exitText(end *corev1.ContainerStateTerminated) string {
	text := fmt.Sprintf("ended with code %d", end.ExitCode)
	if end.Reason != "" && end.Reason != "Error" {
		text += " (" + end.Reason + ")"
	}
	if end.Message != "" {
		text += ": " + end.Message
	}
	return text
}
