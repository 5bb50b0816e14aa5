package tracker

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Sizes of a list of resources as JSON, in bytes.
const (
	// maxPlain is up to where people can read it in the object. Above, it is compressed.
	maxPlain = 16 << 10
	// maxPart is what one object holds. Names that cannot be compressed at all grow by a third on their way into etcd, as
	// base64, to 1 MiB; etcd takes 1.5 MiB.
	maxPart = 768 << 10
	// maxDecoded bounds what is decompressed, whoever wrote it. The Store stays far below.
	maxDecoded = 2 * maxPart
)

// Sizes of a resource without any names, with a comma, and of what not all have.
const (
	emptySize = len(`{"group":"","version":"","kind":"","namespace":"","name":"","wave":2147483647},`)
	flagsSize = len(`"after":true,"retain":true,"applied":true,`)
	hashSize  = len(`"specHash":"","formerSpecHashes":"",`)
)

// sizeOf is the size of resource as JSON, or a little more. Names of Kubernetes have no characters that JSON escapes.
func sizeOf(resource corev1alpha1.TrackedResource) int {
	size := emptySize + len(resource.Group) + len(resource.Version) + len(resource.Kind) + len(resource.Namespace) + len(resource.Name)
	if resource.After || resource.Retain || resource.Applied {
		size += flagsSize
	}
	if resource.SpecHash != "" {
		size += hashSize + len(resource.SpecHash) + len(resource.FormerSpecHashes)
	}
	return size
}

func totalSize(resources []corev1alpha1.TrackedResource) int {
	total := 0
	for _, resource := range resources {
		total += sizeOf(resource)
	}
	return total
}

// encode puts resources into spec.
func encode(spec *corev1alpha1.ResourceTrackerSpec, resources []corev1alpha1.TrackedResource) error {
	spec.Count = int32(len(resources))
	if totalSize(resources) <= maxPlain {
		spec.Resources = slices.Clone(resources)
		return nil
	}
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	if err := errors.Join(json.NewEncoder(writer).Encode(resources), writer.Close()); err != nil {
		return fmt.Errorf("compressing what is tracked: %w", err)
	}
	spec.Compressed = compressed.Bytes()
	return nil
}

// decode gives the resources that spec holds. It takes no more memory than what the Store writes needs, whatever it is given.
func decode(spec *corev1alpha1.ResourceTrackerSpec) ([]corev1alpha1.TrackedResource, error) {
	if len(spec.Compressed) == 0 {
		return spec.Resources, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(spec.Compressed))
	if err != nil {
		return nil, fmt.Errorf("spec.compressed is not gzip: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(reader, maxDecoded+1))
	if err != nil {
		return nil, fmt.Errorf("spec.compressed cannot be decompressed: %w", err)
	}
	if len(content) > maxDecoded {
		return nil, fmt.Errorf("spec.compressed has more than the %d bytes, decompressed, that an agent writes", maxDecoded)
	}
	resources, err := decodeList(json.NewDecoder(bytes.NewReader(content)))
	if err != nil {
		return nil, fmt.Errorf("spec.compressed is not a list of resources: %w", err)
	}
	return resources, nil
}

// decodeList ends at the first entry that names nothing: a list of a million empty ones is short, and would take much memory.
func decodeList(decoder *json.Decoder) ([]corev1alpha1.TrackedResource, error) {
	if first, err := decoder.Token(); err != nil || first != json.Delim('[') {
		return nil, errors.Join(errors.New("it does not begin with ["), err)
	}
	var resources []corev1alpha1.TrackedResource
	for decoder.More() {
		var resource corev1alpha1.TrackedResource
		if err := decoder.Decode(&resource); err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(resources), err)
		}
		if resource.Version == "" || resource.Kind == "" || resource.Name == "" {
			return nil, fmt.Errorf("entry %d lacks a version, kind or name", len(resources))
		}
		resources = append(resources, resource)
	}
	_, err := decoder.Token()
	return resources, err
}
