package cue

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// MaxComponentName bounds the name of a Component, which is a label value too.
const MaxComponentName = 63

// hashSuffix is the length of what Label puts behind a text that it shortens.
const hashSuffix = 9

// Label makes a DNS label of any text. What cannot stand in one, or is longer than most, is told apart by a hash.
func Label(text string, most int) string {
	lower := strings.ToLower(text)
	if len(validation.IsDNS1123Label(lower)) == 0 && len(lower) <= most {
		return lower
	}
	kept := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, lower)
	sum := sha256.Sum256([]byte(text))
	return strings.Trim(kept[:min(len(kept), most)], "-") + "-" + hex.EncodeToString(sum[:4])
}

// childName is the name of the Component that an output of a Component makes.
func childName(parent, output string) string {
	name := parent + "-" + strings.ToLower(output)
	if len(name) <= MaxComponentName && len(validation.IsDNS1123Subdomain(name)) == 0 {
		return name
	}
	return Label(parent+"-"+output, MaxComponentName-hashSuffix)
}
