package pods

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// podIdentity is what the API server would know of the pod, and where it looks things up.
type podIdentity struct {
	namespace, name, serviceAccount string
	objects                         objectReader
}

// objectReader reads the contents of ConfigMaps and Secrets of the pod's namespace.
type objectReader interface {
	configMap(ctx context.Context, name string) (map[string][]byte, error)
	secret(ctx context.Context, name string) (map[string][]byte, error)
}

// environment is a container's environment variables in their order, in which later ones may
// refer to earlier ones.
type environment []variable

type variable struct{ name, value string }

// environment works out the container's variables as a kubelet does.
func (p podIdentity) environment(ctx context.Context, container corev1.Container) (environment, error) {
	if len(container.EnvFrom) > 0 {
		return nil, fmt.Errorf("%w: container %s uses envFrom: name its variables one by one", errUnplayable, container.Name)
	}
	var env environment
	for _, source := range container.Env {
		value := env.expand(source.Value)
		if source.ValueFrom != nil {
			var err error
			if value, err = p.resolve(ctx, source.ValueFrom); err != nil {
				return nil, fmt.Errorf("environment variable %s: %w", source.Name, err)
			}
		}
		env = append(env, variable{source.Name, value})
	}
	return env, nil
}

func (p podIdentity) resolve(ctx context.Context, source *corev1.EnvVarSource) (string, error) {
	switch {
	case source.FieldRef != nil:
		return p.field(source.FieldRef.FieldPath)
	case source.ConfigMapKeyRef != nil:
		ref := source.ConfigMapKeyRef
		content, err := p.objects.configMap(ctx, ref.Name)
		return pick(content, err, ref.Key, ref.Optional)
	case source.SecretKeyRef != nil:
		ref := source.SecretKeyRef
		content, err := p.objects.secret(ctx, ref.Name)
		return pick(content, err, ref.Key, ref.Optional)
	}
	return "", fmt.Errorf("%w: only fieldRef, configMapKeyRef and secretKeyRef can be played", errUnplayable)
}

// field is what the downward API knows without a node.
func (p podIdentity) field(path string) (string, error) {
	fields := map[string]string{
		"metadata.name":           p.name,
		"metadata.namespace":      p.namespace,
		"spec.serviceAccountName": p.serviceAccount,
		"status.podIP":            "127.0.0.1",
	}
	value, ok := fields[path]
	if !ok {
		return "", fmt.Errorf("%w: the field %s is known only for a pod on a node", errUnplayable, path)
	}
	return value, nil
}

// pick takes a key out of the contents of an object, which were read with the given error.
func pick(content map[string][]byte, err error, key string, optional *bool) (string, error) {
	mayMiss := optional != nil && *optional
	if apierrors.IsNotFound(err) && mayMiss {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	value, ok := content[key]
	if !ok && !mayMiss {
		return "", fmt.Errorf("key %s is missing", key)
	}
	return string(value), nil
}

// expand replaces $(NAME) by the variable's value. As in Kubernetes, $$ stands for $, and a
// reference to an unknown variable stays as it is.
func (e environment) expand(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		switch name, rest, closed := strings.Cut(strings.TrimPrefix(after, "("), ")"); {
		case strings.HasPrefix(after, "$"):
			out.WriteByte('$')
			text = after[1:]
		case strings.HasPrefix(after, "(") && closed && e.has(name):
			out.WriteString(e.get(name))
			text = rest
		default:
			out.WriteByte('$')
			text = after
		}
	}
}

func (e environment) has(name string) bool {
	for _, v := range e {
		if v.name == name {
			return true
		}
	}
	return false
}

// get returns the last value that the variable was given.
func (e environment) get(name string) (value string) {
	for _, v := range e {
		if v.name == name {
			value = v.value
		}
	}
	return value
}
