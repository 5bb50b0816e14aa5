package cue

import (
	"fmt"
	"testing"

	"wheelwright.dev/wheelwright/shared/definition"
)

var judgedContext = Context{Name: "web", Namespace: "shop", Status: map[string]map[string]any{
	"workload": {"ready": int64(2), "updated": int64(2)},
	"service":  {"clusterIP": "10.0.0.1"},
}}

// evaluateAll does what a reconcile does: check, render, judge.
func evaluateAll(compiler *Compiler, def definition.Definition, n int) error {
	template, err := compiler.Compile(def)
	if err != nil {
		return err
	}
	properties := fmt.Appendf(nil, `{"image":"nginx:1.27","replicas":2,"config":{"n":"%d"}}`, n)
	if err := template.CheckParameters(properties); err != nil {
		return err
	}
	outputs, err := template.Render(judgedContext, properties)
	if err != nil {
		return err
	}
	if got := outputs[0].Object.Object["data"].(map[string]any)["n"]; got != fmt.Sprint(n) {
		return fmt.Errorf("rendered n=%v, want %d: another evaluation's input", got, n)
	}
	judgement, err := template.Judge(judgedContext, properties)
	if err == nil && !judgement.Healthy {
		return fmt.Errorf("got %+v, want healthy", judgement)
	}
	return err
}

func BenchmarkCompileCold(b *testing.B) {
	def := webservice(b)
	for b.Loop() {
		if _, err := NewCompiler(Options{}).Compile(def); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWarm(b *testing.B) {
	compiler := NewCompiler(Options{})
	template, err := compiler.Compile(webservice(b))
	if err != nil {
		b.Fatal(err)
	}
	properties := []byte(webserviceProperties)
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if err := template.CheckParameters(properties); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("render", func(b *testing.B) {
		for b.Loop() {
			if _, err := template.Render(judgedContext, properties); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("judge", func(b *testing.B) {
		for b.Loop() {
			if _, err := template.Judge(judgedContext, properties); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reconcile", func(b *testing.B) {
		def := webservice(b)
		for n := 0; b.Loop(); n++ {
			if err := evaluateAll(compiler, def, n); err != nil {
				b.Fatal(err)
			}
		}
	})
}
