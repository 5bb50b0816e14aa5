package workflow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"github.com/kubevela/pkg/cue/cuex"
	cuexruntime "github.com/kubevela/pkg/cue/cuex/runtime"
	cueutil "github.com/kubevela/pkg/cue/util"
	wfproviders "github.com/kubevela/workflow/pkg/providers"

	"wheelwright.dev/wheelwright/shared/cue"
)

// providers are what the templates of custom steps can call: the engine's packages, and the actions.
type providers struct {
	packages []cuexruntime.Package
	actions  map[string]Action
}

func newProviders(actions map[string]Action) (*providers, error) {
	if action, ok := actions[""]; ok || action != nil {
		return nil, errors.New("an action needs a name")
	}
	return &providers{packages: wfproviders.DefaultCompiler.Get().GetPackages(), actions: maps.Clone(actions)}, nil
}

// compiler is a fresh compiler that can import what the template imports. Building writes into the syntax of an import, so
// each compiler parses its own; and it parses no more than is needed, since some packages are large.
func (p *providers) compiler(imports map[string]bool) (*cuex.Compiler, error) {
	guarded := []cuexruntime.Package{actionPackage{actions: p.actions}}
	for _, one := range p.packages {
		fresh := guardedPackage{Package: one}
		if imports[one.GetPath()] {
			templates := map[string]string{}
			for i, text := range one.GetTemplates() {
				templates[fmt.Sprintf("%s-%d.cue", one.GetName(), i)] = text
			}
			instance, err := cueutil.BuildImport(one.GetPath(), templates)
			if err != nil {
				return nil, fmt.Errorf("reading the engine's package %s: %w", one.GetPath(), err)
			}
			fresh.imports = []*build.Instance{instance}
		}
		guarded = append(guarded, fresh)
	}
	return cuex.NewCompilerWithInternalPackages(guarded...), nil
}

// check finds imports and calls that name what does not exist.
func (p *providers) check(t *template) error {
	var problems []cue.Problem
	for _, path := range sortedKeys(t.imports) {
		if p.named(path) == nil && strings.HasPrefix(path, cuexruntime.VelaPrefix) {
			problems = append(problems, cue.Problem{Position: t.name, Message: fmt.Sprintf("there is no package %q", path)})
		}
	}
	t.calls(func(field *ast.Field, name, provider string) {
		if message := p.missing(name, provider); message != "" {
			problems = append(problems, cue.Problem{Position: cue.FormatPosition(field.Pos()), Message: message})
		}
	})
	return cue.NewError(problems)
}

func (p *providers) missing(name, provider string) string {
	if name == "" { // put together by an expression: the engine finds out
		return ""
	}
	if provider == "" {
		if p.actions[name] != nil {
			return ""
		}
		return unknownAction(name, p.actions)
	}
	found := p.named(cuexruntime.VelaPrefix + provider)
	if found == nil {
		return fmt.Sprintf("there is no provider %q", provider)
	}
	if found.GetProviderFn(name) == nil {
		return fmt.Sprintf("provider %q has no function %q", provider, name)
	}
	return ""
}

// named finds a package by its import path, or gives nil.
func (p *providers) named(path string) cuexruntime.Package {
	index := slices.IndexFunc(p.packages, func(one cuexruntime.Package) bool { return one.GetPath() == path })
	if index < 0 {
		return nil
	}
	return p.packages[index]
}

func unknownAction(name string, actions map[string]Action) string {
	known := "there are none"
	if len(actions) > 0 {
		known = "there are " + strings.Join(sortedKeys(actions), ", ")
	}
	return fmt.Sprintf("there is no action %q: %s", name, known)
}

// guardedPackage is a package of the engine whose functions are called with care.
type guardedPackage struct {
	cuexruntime.Package
	imports []*build.Instance
}

func (p guardedPackage) GetImports() []*build.Instance { return p.imports }

func (p guardedPackage) GetProviderFn(do string) cuexruntime.ProviderFn {
	inner := replaced(p.GetName(), do)
	if inner == nil {
		inner = p.Package.GetProviderFn(do)
	}
	if inner == nil {
		return nil
	}
	return guardedFunction{provider: p.GetName(), name: do, inner: inner}
}

type guardedFunction struct {
	provider, name string
	inner          cuexruntime.ProviderFn
}

// Call refuses what would do something else than the author means, calls once what must not be called twice, and keeps a
// panic from ending more than the call.
func (f guardedFunction) Call(ctx context.Context, value cuelang.Value) (result cuelang.Value, err error) {
	call := callFrom(ctx)
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("it broke down: %v", failure)
		}
		if err != nil && !isActionBreak(err) {
			call.err = fmt.Errorf("%s.%s: %w", f.provider, f.name, call.explain(err))
		}
	}()
	if err := f.refuse(value); err != nil {
		return value, err
	}
	if !f.onceOnly(value) {
		return f.inner.Call(ctx, value)
	}
	if result, noted := call.recall(value); noted {
		return result, nil
	}
	if result, err = f.inner.Call(ctx, value); err == nil {
		call.note(value, result)
	}
	return result, err
}

// refuse finds calls that make sense in KubeVela alone.
func (f guardedFunction) refuse(value cuelang.Value) error {
	if f.provider == "config" || strings.HasSuffix(f.name, "-config") {
		return failed(ReasonAction, "KubeVela's configs are not there: read a ConfigMap or a Secret instead")
	}
	for _, path := range []string{"$params.cluster", "cluster"} {
		if cluster, err := value.LookupPath(cuelang.ParsePath(path)).String(); err == nil && cluster != "" && cluster != "local" {
			return failed(ReasonAction, "cluster %q cannot be reached: a workflow acts on the cluster that it runs on", cluster)
		}
	}
	return nil
}

// onceOnly tells what has an effect each time that it is called.
func (f guardedFunction) onceOnly(value cuelang.Value) bool {
	switch f.name {
	case "send":
		return true
	case "do":
		for _, path := range []string{"$params.method", "method"} {
			if method, err := value.LookupPath(cuelang.ParsePath(path)).String(); err == nil {
				return !slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE"}, method)
			}
		}
	}
	return false
}
