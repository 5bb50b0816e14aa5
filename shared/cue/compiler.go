package cue

import (
	"container/list"
	"runtime"
	"sync"

	"wheelwright.dev/wheelwright/shared/definition"
)

const (
	defaultTemplates = 64
	defaultMaxUses   = 256
)

// Options of a Compiler. Each has a default that serves.
type Options struct {
	// Templates bounds how many compiled definitions are kept; the one used longest ago leaves first. Default 64.
	Templates int
	// MaxUses is the number of evaluations after which a compiled definition is built anew on a fresh CUE context, because a
	// context never lets go of what was built on it. Default 256.
	MaxUses int
}

// Compiler compiles definitions and keeps what it compiled, by name and content. It is safe for concurrent use.
type Compiler struct {
	options Options

	mutex   sync.Mutex
	entries map[cacheKey]*list.Element
	// recent has the entry used last in front.
	recent *list.List
}

// cacheKey has the name beside the hash since places in error messages carry it.
type cacheKey struct {
	kind       kind
	name, hash string
}

// kind is what a definition defines.
type kind int

const (
	kindComponent kind = iota
	kindTrait
)

type cacheEntry struct {
	key      cacheKey
	template *Template
}

// NewCompiler makes an empty Compiler.
func NewCompiler(options Options) *Compiler {
	if options.Templates <= 0 {
		options.Templates = defaultTemplates
	}
	if options.MaxUses <= 0 {
		options.MaxUses = defaultMaxUses
	}
	return &Compiler{options: options, entries: map[cacheKey]*list.Element{}, recent: list.New()}
}

// Compile compiles def, or finds it compiled. The error is an *Error with the place of everything that is wrong with the
// definition itself; failures are not kept.
func (c *Compiler) Compile(def definition.Definition) (*Template, error) {
	return c.compile(def, kindComponent)
}

func (c *Compiler) compile(def definition.Definition, kind kind) (*Template, error) {
	key := cacheKey{kind: kind, name: def.Name, hash: def.Hash()}
	if found := c.find(key); found != nil {
		return found, nil
	}
	src, err := readSource(def, kind)
	if err != nil {
		return nil, err
	}
	template := &Template{source: src, idle: make(chan *instance, runtime.GOMAXPROCS(0)), maxUses: c.options.MaxUses}
	// The first use builds an instance, which finds whatever else is wrong, and leaves it idle for the next one.
	if err := template.use(func(*instance) error { return nil }); err != nil {
		return nil, err
	}
	return c.keep(key, template), nil
}

func (c *Compiler) find(key cacheKey) *Template {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(element)
	return element.Value.(*cacheEntry).template
}

// keep stores template unless another goroutine was quicker, and gives back the one that is stored.
func (c *Compiler) keep(key cacheKey, template *Template) *Template {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if element, ok := c.entries[key]; ok {
		return element.Value.(*cacheEntry).template
	}
	c.entries[key] = c.recent.PushFront(&cacheEntry{key: key, template: template})
	if c.recent.Len() > c.options.Templates {
		oldest := c.recent.Back()
		c.recent.Remove(oldest)
		delete(c.entries, oldest.Value.(*cacheEntry).key)
	}
	return template
}
