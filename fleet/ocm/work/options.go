package work

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
)

// FeedbackMode says what the agent makes of feedbackScrapeType.
type FeedbackMode int

const (
	// HonourWatch watches the objects whose config says Watch, as agents from OCM 1.3 on do.
	HonourWatch FeedbackMode = iota
	// PollOnly ignores the field, as older agents do: feedback is read at each status interval.
	PollOnly
)

// NeverEvict is an eviction grace period from which on nothing is ever evicted.
const NeverEvict = 100 * 365 * 24 * time.Hour

// Options configure an agent. The two configs and the cluster name are required.
type Options struct {
	// HubConfig reaches the hub with the right to read and patch the works of the cluster.
	HubConfig *rest.Config
	// SpokeConfig reaches the cluster that the manifests are applied to.
	SpokeConfig *rest.Config
	// HubURL names the hub: its hash is part of each AppliedManifestWork's name, so another
	// spelling of the same address is another hub. Default: the host of HubConfig.
	HubURL string
	// ClusterName is the namespace of the cluster's works on the hub.
	ClusterName string
	// AgentID ties the AppliedManifestWorks on the spoke to this agent over changes of the
	// hub. Default: the hash of the hub.
	AgentID string

	// StatusSyncInterval is the least time between two readings of an object whose feedback
	// is polled; each wait is this times 1 to 1.9. Default 10 seconds.
	StatusSyncInterval time.Duration
	// ResyncInterval is the least time after which a work is applied again although nothing
	// changed; each wait is this times 1 to 1.5. Default 4 minutes.
	ResyncInterval time.Duration
	// EvictionGracePeriod is how long an AppliedManifestWork outlives its work on the hub.
	// From NeverEvict on it does so for ever. Default 60 minutes.
	EvictionGracePeriod time.Duration
	// MaxFeedbackWatch caps the watches that Watch feedback may open, one for each kind and
	// namespace; objects beyond it are polled. Default 50; a negative number allows none.
	MaxFeedbackWatch int
	// Feedback is HonourWatch unless set.
	Feedback FeedbackMode

	// QPS and Burst limit each client of the agent. Default 50 and 100, which is about 15 new
	// works a second.
	QPS   float32
	Burst int
}

// HubHash is how AppliedManifestWorks name a hub: the hex SHA-256 of its URL, to the letter.
func HubHash(hubURL string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(hubURL)))
}

// withDefaults fills in what is not set, or says what is missing.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.HubConfig == nil:
		return o, errors.New("work agent: HubConfig is not set")
	case o.SpokeConfig == nil:
		return o, errors.New("work agent: SpokeConfig is not set")
	case o.ClusterName == "":
		return o, errors.New("work agent: ClusterName is not set")
	}
	o.HubURL = orDefault(o.HubURL, o.HubConfig.Host)
	o.AgentID = orDefault(o.AgentID, HubHash(o.HubURL))
	o.StatusSyncInterval = orDefault(o.StatusSyncInterval, 10*time.Second)
	o.ResyncInterval = orDefault(o.ResyncInterval, 4*time.Minute)
	o.EvictionGracePeriod = orDefault(o.EvictionGracePeriod, time.Hour)
	o.MaxFeedbackWatch = orDefault(o.MaxFeedbackWatch, 50)
	o.QPS = orDefault(o.QPS, 50)
	o.Burst = orDefault(o.Burst, 100)
	o.HubConfig = o.clientConfig(o.HubConfig)
	o.SpokeConfig = o.clientConfig(o.SpokeConfig)
	return o, nil
}

// clientConfig gives the config this agent's limits and name. The name becomes the field
// manager of everything that is written without one.
func (o Options) clientConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst, config.RateLimiter = o.QPS, o.Burst, nil
	config.UserAgent = fieldManager
	return config
}

func orDefault[T comparable](value, fallback T) T {
	var unset T
	if value == unset {
		return fallback
	}
	return value
}
