package render

import (
	"k8s.io/utils/lru"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/vela"
)

// keptTemplates bounds how many definitions of KubeVela's shape are kept compiled.
const keptTemplates = 256

// Compiler compiles definitions of both shapes, and keeps what it compiled by name and content. It is safe for concurrent
// use.
type Compiler struct {
	kep *cue.Compiler
	v1  *lru.Cache // templateKey to *vela.Template
}

type templateKey struct {
	name, hash string
}

// NewCompiler makes an empty Compiler.
func NewCompiler(options cue.Options) *Compiler {
	return &Compiler{kep: cue.NewCompiler(options), v1: lru.New(keptTemplates)}
}

// Component compiles the definition of a component. The *cue.Error has the place of everything that is wrong with the
// definition itself.
func (c *Compiler) Component(def definition.Definition) (component *Component, err error) {
	defer cue.Guard(def.Name, &err)
	if kept := c.kept(def); kept != nil {
		return &Component{name: def.Name, v1: kept}, kept.CheckComponent()
	}
	forms, err := cue.ReadForms(def)
	if err != nil {
		return nil, err
	}
	if cue.ComponentShape(forms) == cue.KEP {
		template, err := c.kep.Compile(def)
		if err != nil {
			return nil, err
		}
		return &Component{name: def.Name, kep: template}, nil
	}
	template, err := c.keep(def, forms)
	if err != nil {
		return nil, err
	}
	return &Component{name: def.Name, v1: template}, template.CheckComponent()
}

// Trait compiles the definition of a trait. The *cue.Error has the place of everything that is wrong with the definition
// itself.
func (c *Compiler) Trait(def definition.Trait) (trait *Trait, err error) {
	defer cue.Guard(def.Name, &err)
	if kept := c.kept(def.Definition); kept != nil {
		return v1Trait(def, kept)
	}
	forms, err := cue.ReadForms(def.Definition)
	if err != nil {
		return nil, err
	}
	if cue.TraitShape(forms) == cue.KEP {
		return c.kepTrait(def)
	}
	template, err := c.keep(def.Definition, forms)
	if err != nil {
		return nil, err
	}
	return v1Trait(def, template)
}

// kept finds a definition that was found to be of KubeVela's shape.
func (c *Compiler) kept(def definition.Definition) *vela.Template {
	if found, ok := c.v1.Get(templateKey{name: def.Name, hash: def.Hash()}); ok {
		return found.(*vela.Template)
	}
	return nil
}

func (c *Compiler) keep(def definition.Definition, forms []cue.Form) (*vela.Template, error) {
	template, err := vela.New(def, forms)
	if err != nil {
		return nil, err
	}
	c.v1.Add(templateKey{name: def.Name, hash: def.Hash()}, template)
	return template, nil
}
