package main

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestTheHashKeyIsMadeOnce(t *testing.T) {
	spokeClient := fake.NewClientBuilder().Build()
	first, err := hashKey(t.Context(), spokeClient, "system")
	if err != nil || len(first) != 32 {
		t.Fatalf("got %d bytes, %v", len(first), err)
	}
	second, err := hashKey(t.Context(), spokeClient, "system")
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("the key is another one after a restart, %v", err)
	}
	if key, err := hashKey(t.Context(), spokeClient, ""); key != nil || err != nil {
		t.Errorf("without a namespace: got %v, %v", key, err)
	}
	empty := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: hashKeySecret}}
	if err := spokeClient.Create(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	if _, err := hashKey(t.Context(), spokeClient, "other"); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("an empty Secret: got %v", err)
	}
}
