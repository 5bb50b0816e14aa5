package main

import (
	"context"
	"crypto/rand"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hashKeySecret holds the key of the hashes that Components' statuses have of resolved properties.
const hashKeySecret = "wheelwright-agent-hash-key"

const hashKeyEntry = "key"

// hashKey reads the key of this cluster, and makes one where there is none yet. Without a namespace there is nowhere to keep it,
// and nil stands for a key that is forgotten.
func hashKey(ctx context.Context, spokeClient client.Client, namespace string) ([]byte, error) {
	if namespace == "" {
		return nil, nil
	}
	name := client.ObjectKey{Namespace: namespace, Name: hashKeySecret}
	secret := &corev1.Secret{}
	err := spokeClient.Get(ctx, name, secret)
	if apierrors.IsNotFound(err) {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: hashKeySecret}, Data: map[string][]byte{hashKeyEntry: key},
		}
		if err = spokeClient.Create(ctx, secret); apierrors.IsAlreadyExists(err) { // another replica was faster
			err = spokeClient.Get(ctx, name, secret)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keeping the key of hashes in Secret %s: %w", name, err)
	}
	if len(secret.Data[hashKeyEntry]) == 0 {
		return nil, fmt.Errorf("the key of hashes is missing: Secret %s has no entry %q: delete it, and the agent makes a new one", name, hashKeyEntry)
	}
	return secret.Data[hashKeyEntry], nil
}
