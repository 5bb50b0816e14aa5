package condition

import "strings"

// MaxMessage keeps a condition well below what the API server takes, since one that it refuses would never be seen.
const MaxMessage = 4096

// Message is text, cut where it is longer than a condition's message should be: what people put into a definition and its
// properties, and errors repeat, may be of any length.
func Message(text string) string {
	if len(text) <= MaxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:MaxMessage], "") + "…"
}
