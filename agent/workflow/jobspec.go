package workflow

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// jobProperties are the properties of run-job.
type jobProperties struct {
	Image              string                        `json:"image"`
	Command            []string                      `json:"command"`
	Args               []string                      `json:"args"`
	Env                []corev1.EnvVar               `json:"env"`
	EnvFrom            []corev1.EnvFromSource        `json:"envFrom"`
	Resources          corev1.ResourceRequirements   `json:"resources"`
	ImagePullPolicy    corev1.PullPolicy             `json:"imagePullPolicy"`
	ImagePullSecrets   []corev1.LocalObjectReference `json:"imagePullSecrets"`
	SecurityContext    *corev1.SecurityContext       `json:"securityContext"`
	Volumes            []corev1.Volume               `json:"volumes"`
	VolumeMounts       []corev1.VolumeMount          `json:"volumeMounts"`
	ServiceAccountName string                        `json:"serviceAccountName"`
	// BackoffLimit is how many pods may fail before the Job does. Default 0: a migration that failed is not simply run again.
	BackoffLimit int32 `json:"backoffLimit"`
	// Timeout is how long the Job may take. The timeout of the step, if it is shorter, holds for the Job as well.
	Timeout string `json:"timeout"`
	// TTLSecondsAfterFinished is how long the Job stays after its end was seen. Default one day.
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished"`
}

func (p *pass) newJob(step Step, properties *jobProperties) (*batchv1.Job, error) {
	if properties.Image == "" {
		return nil, failed(ReasonInput, "properties.image is needed: the image of the container that the Job runs")
	}
	deadline, err := deadlineOf(step, properties)
	if err != nil {
		return nil, err
	}
	component := p.event.Component
	labels := map[string]string{
		corev1alpha1.ComponentUIDLabel: string(component.UID), corev1alpha1.ComponentNameLabel: component.Name,
		corev1alpha1.ComponentNamespaceLabel: component.Namespace,
	}
	annotations := map[string]string{StepAnnotation: step.Name}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: component.Namespace, Name: nameFor(component, p.run.step(step.Name).ID), Labels: labels, Annotations: annotations,
		},
		Spec: batchv1.JobSpec{
			BackoffLimit: &properties.BackoffLimit, ActiveDeadlineSeconds: deadline,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: annotations},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever, ServiceAccountName: properties.ServiceAccountName,
					ImagePullSecrets: properties.ImagePullSecrets, Volumes: properties.Volumes,
					Containers: []corev1.Container{{
						Name: jobContainer, Image: properties.Image, ImagePullPolicy: properties.ImagePullPolicy,
						Command: properties.Command, Args: properties.Args, Env: properties.Env, EnvFrom: properties.EnvFrom,
						Resources: properties.Resources, VolumeMounts: properties.VolumeMounts, SecurityContext: properties.SecurityContext,
					}},
				},
			},
		},
	}, nil
}

// deadlineOf lets the cluster end a Job that takes too long, whether anybody looks or not.
func deadlineOf(step Step, properties *jobProperties) (*int64, error) {
	timeout, err := Step{Timeout: properties.Timeout}.timeout()
	if err != nil {
		return nil, failed(ReasonInput, "properties.%w", err)
	}
	if ofStep, _ := step.timeout(); timeout == 0 || ofStep > 0 && ofStep < timeout {
		timeout = ofStep
	}
	if timeout == 0 {
		return nil, nil
	}
	return ptr.To(int64(max(timeout, time.Second) / time.Second)), nil
}
