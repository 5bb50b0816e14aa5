package application

import (
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// NewChecker checks with the same compiler that the spokes render with, so that what the hub accepts a spoke accepts too.
func NewChecker(compiler *cue.Compiler) DefinitionChecker { return checker{compiler} }

type checker struct{ compiler *cue.Compiler }

func (c checker) CheckDefinition(d definition.Definition) error {
	_, err := c.compiler.Compile(d)
	return err
}

func (c checker) CheckParameters(d definition.Definition, properties []byte) error {
	template, err := c.compiler.Compile(d)
	if err != nil {
		return err
	}
	return template.CheckParameters(properties)
}
