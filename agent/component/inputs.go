package component

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	agentrender "wheelwright.dev/wheelwright/agent/render"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// maxKeptProperties bounds the properties that are kept in status for the next event.
const maxKeptProperties = 256 << 10

// hasher tells resolved values apart by hashes that may be shown. They are keyed, since anyone could find a short Secret
// by trying otherwise.
type hasher struct {
	key []byte
	// id starts every hash. Hashes of different keys say nothing about each other.
	id string
}

// newHasher makes a hasher. Without a key it makes one that is forgotten when the process ends.
func newHasher(key []byte) hasher {
	if len(key) == 0 {
		key = make([]byte, sha256.Size)
		_, _ = rand.Read(key) // never fails
	}
	sum := sha256.Sum256(append([]byte("id of "), key...))
	return hasher{key: key, id: hex.EncodeToString(sum[:4]) + "-"}
}

// hash tells lists of parts apart. No two lists feed the same bytes.
func (h hasher) hash(parts ...[]byte) string {
	sum := hmac.New(sha256.New, h.key)
	encoder := json.NewEncoder(sum)
	_ = encoder.Encode(parts) // neither bytes nor a hash can fail
	return h.id + hex.EncodeToString(sum.Sum(nil)[:16])
}

// inputsOf are what the rendering of a run follows from, when its properties are resolved.
func (h hasher) inputsOf(run *run) corev1alpha1.ProcessedInputs {
	owner := []byte(run.owner.UID)
	inputs := corev1alpha1.ProcessedInputs{
		APIVersion:     run.work.Definition.APIVersion,
		DefinitionHash: run.work.Definition.Hash(),
		PropertiesHash: h.hash(owner, canonical(run.work.Properties)),
	}
	traits := [][]byte{owner}
	for _, trait := range run.work.Traits {
		traits = append(traits, []byte(trait.Type), []byte(trait.Definition.Hash()), canonical(trait.Properties))
	}
	if len(run.work.Traits) > 0 {
		inputs.TraitsHash = h.hash(traits...)
	}
	if written := agentrender.Properties(run.component); len(written) > 0 && len(written) <= maxKeptProperties {
		inputs.Properties = &runtime.RawExtension{Raw: written}
	}
	return inputs
}

// canonical is JSON with its keys in order, so that nothing but content tells values apart.
func canonical(raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if len(raw) == 0 || decoder.Decode(&value) != nil {
		return raw
	}
	if fields, ok := value.(map[string]any); ok && len(fields) == 0 {
		return nil // no properties are the same as none
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return encoded
}

// sameProperties compares resolved properties, or those that were written where the hashes have different keys.
func sameProperties(a, b corev1alpha1.ProcessedInputs) bool {
	if sameKey(a.PropertiesHash, b.PropertiesHash) {
		return a.PropertiesHash == b.PropertiesHash
	}
	return bytes.Equal(canonical(raw(a.Properties)), canonical(raw(b.Properties)))
}

// sameTraits takes hashes of different keys for equal: a key that was lost must not upgrade everything.
func sameTraits(a, b corev1alpha1.ProcessedInputs) bool {
	if a.TraitsHash == "" || b.TraitsHash == "" || sameKey(a.TraitsHash, b.TraitsHash) {
		return a.TraitsHash == b.TraitsHash
	}
	return true
}

func sameKey(a, b string) bool {
	first, _, _ := strings.Cut(a, "-")
	second, _, _ := strings.Cut(b, "-")
	return first == second
}

func raw(extension *runtime.RawExtension) []byte {
	if extension == nil {
		return nil
	}
	return extension.Raw
}
