package render

import "testing"

// pod is a component of KubeVela's shape whose pod has two containers, defaults that are not decided and a list.
const pod = `
parameter: {mode: *420 | int, tolerations?: [...{key: string}]}
output: {
	apiVersion: "apps/v1"
	kind:       "Deployment"
	spec: {
		replicas:    *1 | int
		defaultMode: parameter.mode
		template: spec: {
			containers: [
				{name: context.name, image: "a:1", env: [{name: "A", value: "1"}, {name: "B", value: "2"}]},
				{name: "side", image: "b:1"},
			]
			if parameter.tolerations != _|_ {tolerations: parameter.tolerations}
		}
	}
}`

// podWith is what pod renders to with other containers.
func podWith(spec, podSpec string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop-web"},"spec":{` + spec + `,"template":{"spec":{` + podSpec + `}}}}`
}

const plainContainers = `"containers":[{"name":"shop-web","image":"a:1","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]},{"name":"side","image":"b:1"}]`

func TestV1Patch(t *testing.T) {
	const spec = `"replicas":1,"defaultMode":420`
	for name, tc := range map[string]struct {
		properties string
		traits     []given
		want       string
		refusal    []string
	}{
		"no trait": {want: podWith(spec, plainContainers)},
		"a default gives way": {
			traits: []given{{source: `patch: spec: {replicas: 3, defaultMode: 511}`}},
			want:   podWith(`"replicas":3,"defaultMode":511`, plainContainers),
		},
		"an explicit value does not": {
			properties: `{"mode":256}`, traits: []given{{source: `patch: spec: defaultMode: 511`}},
			refusal: []string{"traits[0] change", "patch.spec.defaultMode", "511", "256"},
		},
		"nor does a default that a JSON merge patch decided": {
			traits: []given{
				{typ: "label", source: "// +patchStrategy=jsonMergePatch\npatch: {metadata: labels: a: \"b\"}"},
				{source: `patch: spec: replicas: 3`},
			},
			refusal: []string{"traits[1] change", "spec.replicas"},
		},
		"retainKeys replaces, and the last one wins": {
			traits: []given{
				{source: "patch: spec: {\n\t// +patchStrategy=retainKeys\n\treplicas: 3\n}"},
				{source: "patch: spec: {\n\t// +patchStrategy=retainKeys\n\treplicas: 4\n}"},
			},
			want: podWith(`"replicas":4,"defaultMode":420`, plainContainers),
		},
		"patchKey merges by key and appends what is new": {
			traits: []given{{source: `patch: spec: template: spec: {
	// +patchKey=name
	containers: [{name: "new", image: "c:1"}, {name: "side", args: ["x"]}]
}`}},
			want: podWith(spec, `"containers":[{"name":"shop-web","image":"a:1","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]},{"name":"side","image":"b:1","args":["x"]},{"name":"new","image":"c:1"}]`),
		},
		"patchKey reaches the lists below": {
			traits: []given{{source: `patch: {
	// +patchKey=name
	spec: template: spec: containers: [{name: "shop-web", env: [{name: "C", value: "3"}, {name: "B", value: "2"}]}]
}`}},
			want: podWith(spec, `"containers":[{"name":"shop-web","image":"a:1","env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"}]},{"name":"side","image":"b:1"}]`),
		},
		"replace takes the list of the patch": {
			traits: []given{{source: `patch: spec: template: spec: {
	// +patchKey=name
	containers: [{
		name: "shop-web"
		// +patchStrategy=replace
		env: [{name: "Z", value: "9"}]
	}]
}`}},
			want: podWith(spec, `"containers":[{"name":"shop-web","image":"a:1","env":[{"name":"Z","value":"9"}]},{"name":"side","image":"b:1"}]`),
		},
		"without a key lists meet by position, and a shorter one is refused": {
			traits:  []given{{source: `patch: spec: template: spec: containers: [{args: ["x"]}]`}},
			refusal: []string{"traits[0] change", "incompatible list lengths"},
		},
		"an open list reaches every element": {
			traits: []given{{source: `patch: spec: template: spec: containers: [...{tty: true}]`}},
			want:   podWith(spec, `"containers":[{"name":"shop-web","image":"a:1","tty":true,"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]},{"name":"side","image":"b:1","tty":true}]`),
		},
		"a longer list with an equal head grows": {
			properties: `{"tolerations":[{"key":"a"}]}`,
			traits:     []given{{source: `patch: spec: template: spec: tolerations: [{key: "a"}, {key: "b"}]`}},
			want:       podWith(spec, plainContainers+`,"tolerations":[{"key":"a"},{"key":"b"}]`),
		},
		"different elements at one position are refused": {
			properties: `{"tolerations":[{"key":"a"}]}`,
			traits:     []given{{source: `patch: spec: template: spec: tolerations: [{key: "b"}]`}},
			refusal:    []string{"patch.spec.template.spec.tolerations", "conflicting values"},
		},
		"a JSON patch": {
			traits: []given{{source: "parameter: operations: [...{...}]\n// +patchStrategy=jsonPatch\npatch: parameter",
				properties: `{"operations":[{"op":"remove","path":"/spec/template/spec/containers/1"},{"op":"replace","path":"/spec/replicas","value":5}]}`}},
			want: podWith(`"replicas":5,"defaultMode":420`, `"containers":[{"name":"shop-web","image":"a:1","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}]`),
		},
		"a JSON patch of what is not there": {
			traits: []given{{source: "parameter: operations: [...{...}]\n// +patchStrategy=jsonPatch\npatch: parameter",
				properties: `{"operations":[{"op":"remove","path":"/spec/none"}]}`}},
			refusal: []string{"traits[0] change", "/spec/none"},
		},
		"a JSON patch that takes the kind away": {
			traits: []given{{source: "parameter: operations: [...{...}]\n// +patchStrategy=jsonPatch\npatch: parameter",
				properties: `{"operations":[{"op":"remove","path":"/kind"}]}`}},
			refusal: []string{"the object has no kind"},
		},
		"null in a JSON merge patch takes out": {
			traits: []given{{source: "// +patchStrategy=jsonMergePatch\npatch: {spec: template: spec: containers: null}"}},
			want:   podWith(spec, ``),
		},
		"a strategy that nobody knows is none": {
			traits: []given{{source: "patch: spec: {\n\t// +patchStrategy=open\n\treplicas: 3\n}"}},
			want:   podWith(`"replicas":3,"defaultMode":420`, plainContainers),
		},
	} {
		t.Run(name, func(t *testing.T) {
			rendering, err := Render(request(t, pod, tc.properties, tc.traits...))
			if tc.refusal != nil {
				wantRefusal(t, err, tc.refusal...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantObject(t, rendering, "output", tc.want)
		})
	}
}

func TestV1PatchKeys(t *testing.T) {
	const component = `
parameter: {}
output: {apiVersion: "v1", kind: "Thing", refs: [{configMap: name: "a"}, {secret: name: "b"}]}`
	rendering, err := Render(request(t, component, "", given{source: `patch: {
	// +patchKey=configMap.name,secret.name
	refs: [{secret: name: "b", optional: true}, {configMap: name: "a", optional: false}, {configMap: name: "c"}]
}`}))
	if err != nil {
		t.Fatal(err)
	}
	wantObject(t, rendering, "output", `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"shop-web"},"refs":[
		{"configMap":{"name":"a"},"optional":false},{"secret":{"name":"b"},"optional":true},{"configMap":{"name":"c"}}]}`)
}

func TestV1PatchOutputs(t *testing.T) {
	const component = `
parameter: {}
output: {apiVersion: "v1", kind: "Thing"}
outputs: service: {apiVersion: "v1", kind: "Service", spec: type: *"ClusterIP" | string}`
	rendering, err := Render(request(t, component, "", given{source: `
patchOutputs: {service: spec: type: "NodePort", own: data: b: "2"}
outputs: own: {apiVersion: "v1", kind: "ConfigMap", data: a: context.outputs.service.spec.type}`}))
	if err != nil {
		t.Fatal(err)
	}
	wantObject(t, rendering, "service", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"shop-web-service"},"spec":{"type":"NodePort"}}`)
	// A trait sees what was there before it, and its patch reaches its own outputs too.
	wantObject(t, rendering, "own", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop-web-own"},"data":{"a":"ClusterIP","b":"2"}}`)
}
