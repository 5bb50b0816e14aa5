package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// StepAnnotation on a Job tells which step it belongs to.
const StepAnnotation = "workflow.wheelwright.dev/step"

const (
	jobContainer = "step"
	// jobTTL is how long a Job stays, for its logs, after its end was seen. It is set only then: a Job that went before would
	// be taken for one that never was.
	jobTTL = 24 * 60 * 60
)

// runJob makes the Job of the step, or finds the one that an earlier try made, and tells how far it is.
func runJob(ctx context.Context, p *pass, _ place, step Step) (outcome, error) {
	properties := &jobProperties{}
	if err := decodeProperties(step, properties); err != nil {
		return outcome{}, err
	}
	job, err := p.findJob(ctx, p.run.step(step.Name).ID)
	if apierrors.IsNotFound(err) {
		var wanted *batchv1.Job
		if wanted, err = p.newJob(step, properties); err != nil {
			return outcome{}, err
		}
		job = wanted
		err = p.event.Client.Create(ctx, wanted)
		if apierrors.IsAlreadyExists(err) { // a cache did not show it yet
			return waitsForJob(wanted), nil
		}
	}
	if apierrors.IsInvalid(err) {
		return outcome{}, &FailureError{Err: err}
	}
	if err != nil {
		return outcome{}, fmt.Errorf("running a Job: %w", err)
	}
	return p.jobOutcome(ctx, properties, job)
}

// findJob reads the Job of a step. One of the same name that is another's is in the way, and stays so.
func (p *pass) findJob(ctx context.Context, id string) (*batchv1.Job, error) {
	if p.event.Client == nil {
		return nil, failed(ReasonAction, "no client was given to run Jobs with")
	}
	job := &batchv1.Job{}
	key := client.ObjectKey{Namespace: p.event.Component.Namespace, Name: nameFor(p.event.Component, id)}
	if err := p.event.Client.Get(ctx, key, job); err != nil {
		return nil, err
	}
	if owner := job.Labels[corev1alpha1.ComponentUIDLabel]; owner != string(p.event.Component.UID) {
		return nil, failed(ReasonAction, "Job %s exists and is not of this Component: remove it or rename it", key)
	}
	return job, nil
}

// jobOutcome reads the Job's status.
func (p *pass) jobOutcome(ctx context.Context, properties *jobProperties, job *batchv1.Job) (outcome, error) {
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch condition.Type {
		case batchv1.JobComplete:
			p.expireSeen(ctx, job, properties)
			name, err := json.Marshal(job.Name)
			return outcome{phase: StepSucceeded, returns: map[string]json.RawMessage{"job": name}}, err
		case batchv1.JobFailed:
			p.expireSeen(ctx, job, properties)
			return outcome{}, failed(ReasonAction, "Job %s failed: %s: %s", job.Name, condition.Reason, condition.Message)
		}
	}
	return waitsForJob(job), nil
}

func waitsForJob(job *batchv1.Job) outcome {
	return outcome{phase: StepRunning, reason: ReasonWait, message: fmt.Sprintf(
		"waiting for Job %s: %d pods active, %d failed", job.Name, job.Status.Active, job.Status.Failed)}
}

// expireSeen leaves it to a later pass when it fails: that the Job has ended is known, and that counts.
func (p *pass) expireSeen(ctx context.Context, job *batchv1.Job, properties *jobProperties) {
	if err := p.expire(ctx, job, ptr.Deref(properties.TTLSecondsAfterFinished, jobTTL)); err != nil {
		p.run.Leftover = append(p.run.Leftover, strings.TrimPrefix(job.Name, nameFor(p.event.Component, "")))
	}
}

// expire lets the cluster remove the Job after a while.
func (p *pass) expire(ctx context.Context, job *batchv1.Job, seconds int32) error {
	if job.Spec.TTLSecondsAfterFinished != nil {
		return nil
	}
	before := job.DeepCopy()
	job.Spec.TTLSecondsAfterFinished = &seconds
	return p.event.Client.Patch(ctx, job, client.MergeFrom(before))
}

// retire lets the cluster remove the Jobs that nobody waits for any more, once they have ended. They are not ended: half a
// migration is worse than a late one. What fails is tried again in the next pass.
func (p *pass) retire(ctx context.Context) {
	if p.event.Client == nil {
		return
	}
	p.run.Leftover = slices.DeleteFunc(p.run.Leftover, func(id string) bool {
		job, err := p.findJob(ctx, id)
		if err == nil {
			err = p.expire(ctx, job, jobTTL)
		}
		foreign := (*FailureError)(nil)
		return client.IgnoreNotFound(err) == nil || errors.As(err, &foreign)
	})
}
