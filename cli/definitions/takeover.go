package definitions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// specField is the spec in a set of managed fields.
const specField = "f:spec"

// takeOver gives the ownership of the spec to FieldManager, whoever has it, and changes nothing else. Applying then takes
// out what the folder does not have, which would stay for as long as others own it, and does so in one write.
func takeOver(ctx context.Context, cluster client.Client, live client.Object, options ...client.PatchOption) error {
	owned := live.DeepCopyObject().(client.Object)
	entries, parted, err := partSpecs(live.GetManagedFields())
	if err != nil {
		return err
	}
	owned.SetManagedFields(entries)
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(owned, parted, FieldManager)
	if err != nil || patch == nil {
		return err
	}
	return cluster.Patch(ctx, owned, client.RawPatch(types.JSONPatchType, patch), options...)
}

// partSpecs puts what others own of the spec into entries of their own, and names the managers of these. What they own
// besides, as labels, stays theirs.
func partSpecs(entries []metav1.ManagedFieldsEntry) ([]metav1.ManagedFieldsEntry, sets.Set[string], error) {
	var all []metav1.ManagedFieldsEntry
	parted := sets.New[string]()
	for i, entry := range entries {
		spec, rest, err := partSpec(entry)
		if err != nil {
			return nil, nil, err
		}
		if spec == nil || isOurs(entry) {
			all = append(all, entry)
			continue
		}
		taken := entry
		taken.Manager, taken.Operation, taken.FieldsV1 = fmt.Sprintf("%s-%d", FieldManager, i), metav1.ManagedFieldsOperationUpdate, spec
		all = append(all, taken)
		parted.Insert(taken.Manager)
		if rest != nil {
			entry.FieldsV1 = rest
			all = append(all, entry)
		}
	}
	return all, parted, nil
}

// partSpec parts an entry into what it has of the spec and what it has besides. Either may be nil.
func partSpec(entry metav1.ManagedFieldsEntry) (spec, rest *metav1.FieldsV1, err error) {
	fields := map[string]json.RawMessage{}
	if entry.FieldsV1 == nil || entry.Subresource != "" {
		return nil, entry.FieldsV1, nil
	}
	if err := json.NewDecoder(bytes.NewReader(entry.FieldsV1.Raw)).Decode(&fields); err != nil {
		return nil, nil, fmt.Errorf("reading which fields %s owns: %w", entry.Manager, err)
	}
	owned, ok := fields[specField]
	if !ok {
		return nil, entry.FieldsV1, nil
	}
	if spec, err = fieldsOf(map[string]json.RawMessage{specField: owned}); err != nil {
		return nil, nil, err
	}
	if delete(fields, specField); len(fields) == 0 {
		return spec, nil, nil
	}
	rest, err = fieldsOf(fields)
	return spec, rest, err
}

func fieldsOf(fields map[string]json.RawMessage) (*metav1.FieldsV1, error) {
	content, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("writing which fields are owned: %w", err)
	}
	return &metav1.FieldsV1{Raw: content}, nil
}

func isOurs(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply
}

// ownersOfSpec names those who own something of the spec, but for FieldManager.
func ownersOfSpec(entries []metav1.ManagedFieldsEntry) []string {
	var owners []string
	for _, entry := range entries {
		if spec, _, err := partSpec(entry); err == nil && spec != nil && !isOurs(entry) {
			owners = append(owners, entry.Manager)
		}
	}
	slices.Sort(owners)
	return slices.Compact(owners)
}
