// Package patch merges patches into objects the way KubeVela v1 does: by CUE unification, steered by the comments
// +patchKey and +patchStrategy in the patch. The merging itself is KubeVela's own engine; nothing else in Wheelwright
// touches it.
package patch

import (
	"errors"
	"fmt"

	"cuelang.org/go/cue"
	"github.com/kubevela/workflow/pkg/cue/model/sets"
)

// Merge merges patch into base. A strategy on the patch as a whole (jsonMergePatch, jsonPatch) is followed. Base stays as
// it is, and the result has a CUE context of its own; defaults in base stay defaults, except under the two JSON
// strategies, which decide them.
func Merge(base, patch cue.Value) (cue.Value, error) {
	return merge(base, patch, sets.CreateUnifyOptionsForPatcher(patch)...)
}

// MergeStrategic is Merge without a look at strategies on the patch as a whole: those on its fields alone count.
func MergeStrategic(base, patch cue.Value) (cue.Value, error) {
	return merge(base, patch)
}

// merge turns a panic of the engine, which some syntax trees bring about, into an error.
func merge(base, patch cue.Value, options ...sets.UnifyOption) (merged cue.Value, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("the patch cannot be merged: %v", failure)
		}
	}()
	if !base.Exists() {
		return cue.Value{}, errors.New("there is no object to patch")
	}
	return sets.StrategyUnify(base, patch, options...)
}
