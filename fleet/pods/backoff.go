package pods

import "time"

// A process that ends is started again as by a kubelet: at once, then after growing pauses,
// and at once again after it has run well for a while. All times are shorter than a kubelet's,
// since people and tests wait for them.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
	goodRun      = 30 * time.Second
)

// backoff works out the pauses between the runs of one pod.
type backoff struct{ upcoming time.Duration }

// next returns how long to wait after a run of the given length.
func (b *backoff) next(ran time.Duration) time.Duration {
	if ran >= goodRun {
		b.upcoming = 0
	}
	wait := b.upcoming
	b.upcoming = min(longestPause, max(firstPause, 2*b.upcoming))
	return wait
}
