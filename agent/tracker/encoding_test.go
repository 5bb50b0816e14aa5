package tracker

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// manyOf are resources with names of that length, which are hard to compress.
func manyOf(count, length int) []corev1alpha1.TrackedResource {
	random := rand.New(rand.NewPCG(1, 2))
	resources := make([]corev1alpha1.TrackedResource, count)
	for i := range resources {
		name := []byte(fmt.Sprintf("r%06d", i))
		for len(name) < length {
			name = append(name, "abcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(36)])
		}
		resources[i] = config(string(name))
	}
	return resources
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestEncodingIsPlainForPeopleAndCompressedAbove(t *testing.T) {
	for _, tc := range []struct {
		count      int
		compressed bool
	}{{0, false}, {3, false}, {100, false}, {200, true}, {2000, true}} {
		var spec corev1alpha1.ResourceTrackerSpec
		resources := manyOf(tc.count, 20)
		if err := encode(&spec, resources); err != nil {
			t.Fatal(err)
		}
		if got := len(spec.Compressed) > 0; got != tc.compressed || got && spec.Resources != nil {
			t.Errorf("%d resources: compressed is %v, want %v, and %d are plain", tc.count, got, tc.compressed, len(spec.Resources))
		}
		got, err := decode(&spec)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(resources, got) || int(spec.Count) != tc.count {
			t.Errorf("%d resources come back as %d, with count %d", tc.count, len(got), spec.Count)
		}
	}
}

func TestSizeIsNeverBelowWhatIsEncoded(t *testing.T) {
	full := corev1alpha1.TrackedResource{Group: "g", Version: "v", Kind: "k", Namespace: "n", Name: "x", After: true, Retain: true, Applied: true, SpecHash: "s", FormerSpecHashes: "r,q", Wave: 2147483647}
	for _, resource := range []corev1alpha1.TrackedResource{full, config("a"), deployment("v1", strings.Repeat("x", 253))} {
		encoded, err := json.Marshal(resource)
		if err != nil {
			t.Fatal(err)
		}
		if got := sizeOf(resource); got < len(encoded)+1 {
			t.Errorf("size of %s is %d, want at least %d", encoded, got, len(encoded)+1)
		}
	}
}

func TestDamagedContentIsNamed(t *testing.T) {
	sound := compressed(t, `[{"version":"v1","kind":"ConfigMap","name":"a"}]`)
	for name, tc := range map[string]struct {
		content []byte
		want    string
	}{
		"not compressed":      {[]byte("hello"), "not gzip"},
		"cut off":             {sound[:len(sound)-4], "cannot be decompressed"},
		"flipped":             {append(bytes.Clone(sound[:len(sound)-6]), 0, 0, 0, 0, 0, 0), "cannot be decompressed"},
		"a bomb":              {compressed(t, strings.Repeat(" ", maxDecoded+1)), "has more than"},
		"another value":       {compressed(t, `{"version":"v1"}`), "begin with ["},
		"an entry of nothing": {compressed(t, `[{},{}]`), "entry 0 lacks"},
		"another type":        {compressed(t, `[{"version":"v1","kind":"ConfigMap","name":1}]`), "entry 0"},
		"an end too early":    {compressed(t, `[{"version":"v1","kind":"ConfigMap","name":"a"}`), "list of resources"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode(&corev1alpha1.ResourceTrackerSpec{Compressed: tc.content})
			if err == nil || !strings.Contains(err.Error(), tc.want) || got != nil {
				t.Errorf("got %d resources and error %v, want an error with %q", len(got), err, tc.want)
			}
		})
	}
}

// No part comes near the 1.5 MiB that etcd takes, even if it cannot be compressed at all.
func TestPartsFitIntoEtcd(t *testing.T) {
	resources := inOrder(manyOf(20000, 253))
	lists := layout(nil, resources)
	total := 0
	for index, list := range lists {
		spec := specOf(&Ledger{Owner: owner, parts: make([]part, len(lists))}, index)
		if err := encode(&spec, list); err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(corev1alpha1.ResourceTracker{Spec: spec})
		if err != nil {
			t.Fatal(err)
		}
		if len(encoded) > 1<<20+16<<10 {
			t.Errorf("part %d has %d bytes", index, len(encoded))
		}
		total += len(list)
	}
	if total != len(resources) || len(lists) < 2 {
		t.Errorf("%d parts hold %d resources, want several and %d", len(lists), total, len(resources))
	}
}
