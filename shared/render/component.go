package render

import (
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/vela"
)

// Component is a compiled component definition, of one shape or the other.
type Component struct {
	name string
	kep  *cue.Template
	v1   *vela.Template
}

// CheckParameters checks properties against the parameters that the definition declares, as far as its shape allows: one of
// KubeVela's shape accepts unknown ones. The *cue.Error has all problems at once. It needs nothing but the properties, so
// that the hub refuses what a spoke would.
func (c *Component) CheckParameters(properties []byte) (err error) {
	defer cue.Guard(c.name, &err)
	if c.kep != nil {
		return c.kep.CheckParameters(properties)
	}
	return c.v1.CheckParameters(properties)
}

// Unknown are the parameters that a definition accepts without knowing them, in words. Only a definition of KubeVela's shape
// does so.
func (c *Component) Unknown(properties []byte) []string {
	if c.v1 == nil {
		return nil
	}
	var passed error // what cannot be evaluated is refused elsewhere
	defer cue.Guard(c.name, &passed)
	return c.v1.Unknown(properties)
}

// HasHealth tells whether the definition says itself when it is healthy.
func (c *Component) HasHealth() bool {
	if c.kep != nil {
		return c.kep.HasHealth()
	}
	return c.v1.HasHealth()
}

// ReadsOutputs tells whether judging needs context.Outputs.
func (c *Component) ReadsOutputs() bool { return c.kep == nil || c.kep.ReadsOutputs() }

// Judge evaluates the definition's health, message and exports over live objects. Properties are those that the component
// was rendered with.
func (c *Component) Judge(context cue.Context, properties []byte) (judgement cue.Judgement, err error) {
	defer cue.Guard(c.name, &err)
	if c.kep != nil {
		return c.kep.Judge(context, properties)
	}
	return c.v1.Judge(context, properties)
}
