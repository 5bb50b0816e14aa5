package patch

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"github.com/kubevela/workflow/pkg/cue/model/sets"
)

// Object is an object on the way through its patches. It is held in whatever form costs least, and evaluated when somebody
// needs that. It belongs to one goroutine.
type Object struct {
	// value is the zero value while only plain is known.
	value cue.Value
	// plain is the object written down, when it is plain; nil otherwise, or as long as nobody looked.
	plain  *ast.File
	looked bool
}

// NewObject is an object that was not patched yet.
func NewObject(value cue.Value) Object { return Object{value: value} }

// Value is the object as a CUE value.
func (o *Object) Value() cue.Value {
	if !o.value.Exists() && o.plain != nil {
		o.value = cuecontext.New().BuildFile(clonePlain(o.plain))
	}
	return o.value
}

// IsPlain tells whether the object is known to be concrete, but for defaults, without evaluating it. It looks once.
func (o *Object) IsPlain() bool {
	if o.plain == nil && !o.looked {
		o.looked = true
		o.plain = plainForm(o.value)
	}
	return o.plain != nil
}

// Plain is the object as Go has JSON, with numbers as they are written and defaults decided, if it was found to be plain
// before.
func (o *Object) Plain() (map[string]any, bool) {
	if o.plain == nil {
		return nil, false
	}
	return decodeFields(o.plain.Decls)
}

// plainForm is value written down, or nil where that is not plain.
func plainForm(value cue.Value) (plain *ast.File) {
	defer func() {
		if recover() != nil {
			plain = nil // evaluation says what is wrong
		}
	}()
	if !value.Exists() || value.Err() != nil {
		return nil
	}
	file, err := sets.OpenListLit(value)
	if err != nil || hasImports(file) {
		return nil
	}
	if _, ok := decodeFields(file.Decls); !ok {
		return nil
	}
	return file
}

// Merge merges patch into the object. A strategy on the patch as a whole (jsonMergePatch, jsonPatch) is followed.
// Defaults stay defaults, except under the two JSON strategies, which decide them.
func (o *Object) Merge(patch cue.Value) error {
	whole := sets.CreateUnifyOptionsForPatcher(patch)
	if len(whole) == 0 {
		return o.MergeStrategic(patch)
	}
	merged, err := merge(o.Value(), func() (cue.Value, error) { return sets.StrategyUnify(o.Value(), patch, whole...) })
	if err == nil {
		*o = Object{value: merged}
	}
	return err
}

// MergeStrategic is Merge without a look at strategies on the patch as a whole: those on its fields alone count.
func (o *Object) MergeStrategic(patch cue.Value) error {
	if o.IsPlain() {
		if merged := o.mergePlain(patch); merged != nil {
			*o = Object{plain: merged}
			return nil
		}
	}
	merged, err := merge(o.Value(), func() (cue.Value, error) { return unify(o.Value(), patch) })
	if err == nil {
		*o = Object{value: merged}
	}
	return err
}

// mergePlain merges what is written down, or gives nil where that does not do.
func (o *Object) mergePlain(patch cue.Value) (merged *ast.File) {
	defer func() {
		if recover() != nil {
			merged = nil // evaluation says what is wrong
		}
	}()
	patchFile, err := write(patch)
	if err != nil || hasImports(patchFile) {
		return nil
	}
	base := clonePlain(o.plain)
	openLists(base)
	follow(base, patchFile)
	unified, ok := unifyPlain(base, patchFile)
	if !ok {
		return nil
	}
	if _, ok := decodeFields(unified.Decls); !ok {
		return nil
	}
	return unified
}
