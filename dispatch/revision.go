package dispatch

import (
	"crypto/rand"
	"encoding/hex"
)

const (
	digestPart     = 10
	randomBytes    = 8
	revisionLength = digestPart + 2*randomBytes
)

// newRevision mints a revision for the content: the head of its digest, for people who compare, and 64 random bits, so
// that content which returns (A→B→A) is a new revision and its old health cannot be taken for its new one.
func newRevision(c *Content) string {
	random := make([]byte, randomBytes)
	rand.Read(random) // never fails: crypto/rand ends the program rather than return weak bits
	return c.digest[:digestPart] + hex.EncodeToString(random)
}

// FeedbackName is the name of the feedback value that carries the health of a revision. OCM keeps feedback values by name
// and without a generation, so a name that held for two revisions would show the older one's value for the newer.
func FeedbackName(revision string) string { return "isHealthy-" + revision }

// FeedbackPath selects the health of exactly one revision from an object's status. It yields nothing until the spoke has
// processed that revision.
func FeedbackPath(revision string) string {
	return `.status.health[?(@.revision=="` + revision + `")].isHealthy`
}
