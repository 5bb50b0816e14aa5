package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// parameters are the fields beside #do.
type parameters struct {
	// Event is context.event.
	Event   string `json:"event"`
	Message string `json:"message"`
	URL     string `json:"url"`
	// URLSecretRef names a Secret of the Component's namespace that holds the URL.
	URLSecretRef *secretReference `json:"urlSecretRef"`
	// Headers are sent beside the agent's own.
	Headers map[string]string `json:"headers"`
	// Body has fields to be sent beside the agent's own, or in their place.
	Body map[string]any `json:"body"`
}

type secretReference struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

func decode(fields map[string]any) (*parameters, error) {
	encoded, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("its parameters cannot be encoded: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	read := &parameters{}
	if err := decoder.Decode(read); err != nil {
		return nil, fmt.Errorf("its parameters are wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	switch {
	case read.URL != "" && read.URLSecretRef != nil:
		return nil, errors.New("it has url and urlSecretRef: give one of them")
	case read.URLSecretRef != nil && read.URLSecretRef.Name == "":
		return nil, errors.New("urlSecretRef names no Secret: give it a name")
	}
	return read, nil
}

// target is the address. A Secret that is not there may still come, so its absence is no failure for good.
func (n *Notifier) target(ctx context.Context, request workflow.Request, read *parameters) (string, error) {
	if read.URLSecretRef == nil {
		if read.URL != "" {
			return read.URL, nil
		}
		return n.options.DefaultURL, nil
	}
	if request.Client == nil {
		return "", &workflow.FailureError{Err: errors.New("no client was given to read urlSecretRef with")}
	}
	key := client.ObjectKey{Namespace: request.Identity.Component.Namespace, Name: read.URLSecretRef.Name}
	secret := &corev1.Secret{}
	if err := request.Client.Get(ctx, key, secret); err != nil {
		return "", fmt.Errorf("reading urlSecretRef: %w", err)
	}
	field := read.URLSecretRef.Key
	if field == "" {
		field = keyOfURL
	}
	target := strings.TrimSpace(string(secret.Data[field]))
	if target == "" {
		return "", fmt.Errorf("there is no %s in Secret %s, which urlSecretRef names", field, key)
	}
	return target, nil
}
