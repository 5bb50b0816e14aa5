package definition

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// hashVersion starts every hash, so that a later way of hashing can never be mistaken for a change of content.
const hashVersion = "d1-"

// Hash tells contents apart: files and API line. The name is not part of it, so that two names for one content are seen
// to be the same, nor is the version, which is for people. The result is stable across releases for as long as its
// prefix is.
func (d Definition) Hash() string {
	sum := sha256.New()
	writeString(sum, d.APIVersion)
	for _, file := range d.FileNames() {
		writeString(sum, file)
		writeString(sum, d.Files[file])
	}
	return hashVersion + hex.EncodeToString(sum.Sum(nil)[:16])
}

// writeString adds the length first, so that no two lists of strings feed the same bytes.
func writeString(sum hash.Hash, s string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(s)))
	sum.Write(length[:]) // a hash.Hash never returns an error
	sum.Write([]byte(s))
}
