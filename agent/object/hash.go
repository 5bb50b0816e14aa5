package object

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hashVersion starts every hash: a later way of hashing is then seen as a change of content, never as agreement.
const hashVersion = "r1-"

// Hash tells contents of an object apart.
func Hash(object *unstructured.Unstructured) (string, error) {
	sum := sha256.New()
	if err := write(sum, object); err != nil {
		return "", err
	}
	return finish(sum), nil
}

// HashAll tells renderings apart: the same objects in the same order.
func HashAll(objects []*unstructured.Unstructured) (string, error) {
	sum := sha256.New()
	for _, object := range objects {
		if err := write(sum, object); err != nil {
			return "", err
		}
	}
	return finish(sum), nil
}

func write(sum hash.Hash, object *unstructured.Unstructured) error {
	// Keys are sorted by the encoder, and the line break that it adds ends each object.
	if err := json.NewEncoder(sum).Encode(object.Object); err != nil {
		return fmt.Errorf("hashing %s: %w", KeyOf(object), err)
	}
	return nil
}

func finish(sum hash.Hash) string {
	return hashVersion + hex.EncodeToString(sum.Sum(nil)[:16])
}
