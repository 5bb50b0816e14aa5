package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Namespaces of what is on the spoke by itself: Components, and the same objects without.
const (
	manyNamespace  = "many"
	floorNamespace = "floor"
)

// oneOfMany is the Component of a number: a web service, applied by hand.
func oneOfMany(n int) *corev1alpha1.Component {
	return &corev1alpha1.Component{
		ObjectMeta: metav1.ObjectMeta{Namespace: manyNamespace, Name: nameOf(n)},
		Spec:       corev1alpha1.ComponentSpec{Type: "webservice", Properties: properties(n)},
	}
}

func nameOf(n int) string { return fmt.Sprintf("web-%04d", n) }

// bareObjects are what the Component of a number renders, as examples/quickstart has it.
func bareObjects(n int) []*unstructured.Unstructured {
	name := nameOf(n)
	labels := map[string]any{"app.kubernetes.io/name": name}
	object := func(apiVersion, kind, name string, content map[string]any) *unstructured.Unstructured {
		content["apiVersion"], content["kind"] = apiVersion, kind
		content["metadata"] = map[string]any{"namespace": floorNamespace, "name": name, "labels": labels}
		return &unstructured.Unstructured{Object: content}
	}
	container := map[string]any{
		"name": "main", "image": "registry.example/web:1",
		"ports":        []any{map[string]any{"name": "http", "containerPort": int64(80)}},
		"volumeMounts": []any{map[string]any{"name": "config", "mountPath": "/etc/config", "readOnly": true}},
	}
	return []*unstructured.Unstructured{
		object("v1", "ConfigMap", name+"-config", map[string]any{"data": map[string]any{"n": fmt.Sprint(n)}}),
		object("v1", "Service", name, map[string]any{"spec": map[string]any{
			"selector": labels, "ports": []any{map[string]any{"name": "http", "port": int64(80), "targetPort": "http"}},
		}}),
		object("apps/v1", "Deployment", name, map[string]any{"spec": map[string]any{
			"replicas": int64(1), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{
				"containers": []any{container},
				"volumes":    []any{map[string]any{"name": "config", "configMap": map[string]any{"name": name + "-config"}}},
			}},
		}}),
	}
}
