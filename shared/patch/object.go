package patch

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"github.com/kubevela/workflow/pkg/cue/model/sets"
)

// Object is an object on the way through its patches. It is held in whatever form costs least, and evaluated when somebody
// needs that. The values that it was made of and patched with must be good for as long as it is used. It belongs to one
// goroutine.
type Object struct {
	// value is the object before the patches, which are those that plain has and value has not.
	value   cue.Value
	patches []cue.Value
	// plain is the object written down, when it is plain; nil otherwise, or as long as nobody looked.
	plain  *ast.File
	looked bool
}

// NewObject is an object that was not patched yet.
func NewObject(value cue.Value) Object { return Object{value: value} }

// NewEvaluatedObject is an object that is always evaluated: its definition constrains fields in a way that is not seen in what
// is written down.
func NewEvaluatedObject(value cue.Value) Object { return Object{value: value, looked: true} }

// Value is the object as a CUE value.
func (o *Object) Value() cue.Value {
	for len(o.patches) > 0 {
		merged, err := merge(o.value, func() (cue.Value, error) { return unify(o.value, o.patches[0]) })
		if err != nil { // nothing is merged as it is written that evaluation would refuse
			return cuecontext.New().BuildFile(clonePlain(o.plain))
		}
		o.value, o.patches = merged, o.patches[1:]
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
	if !value.Exists() || value.Kind() != cue.StructKind {
		return nil
	}
	written, ok := writePlain(value)
	structure, isOpen := written.(*ast.StructLit)
	if !ok || !isOpen {
		return nil
	}
	return &ast.File{Decls: structure.Elts}
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
		*o = NewObject(merged)
	}
	return err
}

// MergeStrategic is Merge without a look at strategies on the patch as a whole: those on its fields alone count.
func (o *Object) MergeStrategic(patch cue.Value) error {
	if o.IsPlain() {
		if merged := o.mergePlain(patch); merged != nil {
			o.plain, o.patches = merged, append(o.patches, patch)
			return nil
		}
	}
	merged, err := merge(o.Value(), func() (cue.Value, error) { return unify(o.Value(), patch) })
	if err == nil {
		*o = Object{value: merged, looked: o.looked && o.plain == nil}
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
