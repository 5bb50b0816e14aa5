package render

import (
	"fmt"
	"sync"
	"testing"
)

// One compiled definition serves many components at once, each with what is its own.
func TestRenderInParallel(t *testing.T) {
	for name, made := range map[string]Request{
		"the KEP's shape": request(t, shop, "", given{typ: "label", source: `patch: outputs: [{name: "service", metadata: labels: of: context.parameters.image}]`}),
		"KubeVela's shape": request(t, shaped, "", given{typ: "label", source: `
parameter: {}
patch: metadata: labels: of: context.output.image`}),
	} {
		t.Run(name, func(t *testing.T) {
			var group sync.WaitGroup
			for n := range 16 {
				group.Go(func() {
					mine := made
					mine.Properties = fmt.Appendf(nil, `{"image":"i%d"}`, n)
					rendering, err := Render(mine)
					if err != nil {
						t.Error(err)
						return
					}
					last := rendering.Objects[len(rendering.Objects)-1].Object
					if got := last.GetLabels()["of"]; got != fmt.Sprintf("i%d", n) {
						t.Errorf("component %d has the label of %s", n, got)
					}
				})
			}
			group.Wait()
		})
	}
}

func BenchmarkRenderV1(b *testing.B) {
	made := request(b, pod, "", given{source: `patch: spec: {replicas: 3}`}, given{typ: "side", source: `patch: spec: template: spec: {
	// +patchKey=name
	containers: [{name: "new", image: "c:1"}]
}`})
	for b.Loop() {
		if _, err := Render(made); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRenderWithTraits(b *testing.B) {
	made := request(b, shop, `{"image":"a"}`, given{typ: "label", source: `patch: outputs: [for o in context.outputs {name: o.name, metadata: labels: a: "b"}]`})
	for b.Loop() {
		if _, err := Render(made); err != nil {
			b.Fatal(err)
		}
	}
}
