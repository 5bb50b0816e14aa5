package live

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func waitsFor(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func endedWith(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
}

func TestPodsSayWhatPeopleLookFor(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	main := func(state, last corev1.ContainerState, ready bool) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{Name: "main", State: state, LastTerminationState: last, Ready: ready}}
	}
	none := corev1.ContainerState{}
	for name, tc := range map[string]struct {
		status  corev1.PodStatus
		health  Health
		reason  string
		message string
	}{
		"ready": {corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: main(running, none, true),
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}, Current, "", ""},
		"completed": {corev1.PodStatus{Phase: corev1.PodSucceeded}, Current, "Completed", ""},
		"evicted":   {corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "low on memory"}, Failed, "Evicted", "low on memory"},
		"failed for good": {corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: main(endedWith(3, "Error"), none, false)},
			Failed, "Error", "container main ended with code 3"},
		"crashes": {corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: main(waitsFor("CrashLoopBackOff", "back-off 5m"), endedWith(137, "OOMKilled"), false)},
			Failed, "CrashLoopBackOff", "container main waits: back-off 5m: the last time, it ended with code 137 (OOMKilled)"},
		"init container without image": {corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: main(waitsFor("ImagePullBackOff", "no such image"), none, false),
			ContainerStatuses: main(waitsFor("PodInitializing", ""), none, false)}, Failed, "ImagePullBackOff", "container main waits: no such image"},
		"no node": {corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes"}}}, InProgress, "Unschedulable", "0/3 nodes"},
		"starts": {corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: main(waitsFor("ContainerCreating", ""), none, false)},
			InProgress, "ContainerCreating", "container main waits"},
		"its probe fails": {corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: main(running, endedWith(1, "Error"), false)},
			InProgress, "NotReady", "container main runs and is not ready; the last time, it ended with code 1"},
		"between two tries": {corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: main(endedWith(2, "Error"), none, false)},
			InProgress, "Error", "container main ended with code 2"},
		"nothing said": {corev1.PodStatus{Phase: corev1.PodPending}, InProgress, "", "it is not ready yet"},
	} {
		health, reason, message := podState(&corev1.Pod{Status: tc.status})
		if health != tc.health || reason != tc.reason || message != tc.message {
			t.Errorf("%s: got %s, %q, %q", name, health, reason, message)
		}
	}
	now := metav1.Now()
	if health, _, _ := podState(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}); health != Terminating {
		t.Errorf("a deleted pod is %s", health)
	}
}
