package workflow

import (
	"strings"
	"time"
)

const (
	// maxReturns bounds what one step leaves in the Component's status.
	maxReturns = 64 << 10
	// maxAllReturns bounds what all steps of one event leave there.
	maxAllReturns = 256 << 10
	// maxWorkflow bounds what set-workflow-state steps of one event leave there.
	maxWorkflow = 128 << 10
	// maxNote bounds what the engine may keep of an answer from try to try.
	maxNote = 16 << 10
	// maxMessage bounds the message of a step.
	maxMessage = 1024

	// defaultRetries is how often kubevela/workflow tries a step again.
	defaultRetries = 10
	// unlimited is for what only waits for the cluster: an outage must not end a lifecycle.
	unlimited = -1

	minDelay = time.Second
	maxDelay = time.Minute
)

// retriesOf bounds the tries of a step after the first one.
func retriesOf(step Step) int32 {
	if step.Retries != nil {
		return max(*step.Retries, 0)
	}
	if builtinOf(step.Type) != nil {
		return unlimited
	}
	return defaultRetries
}

// retryDelay doubles with each failure.
func retryDelay(failures int32) time.Duration {
	if failures > 6 {
		return maxDelay
	}
	return min(minDelay<<max(failures-1, 0), maxDelay)
}

// pollDelay grows with the time that something has been waited for already.
func pollDelay(waited time.Duration) time.Duration {
	return min(max(waited/2, minDelay), maxDelay)
}

func bounded(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}
