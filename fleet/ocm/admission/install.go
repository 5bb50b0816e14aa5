package admission

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	worksWebhook    = "manifestworkvalidators.admission.work.open-cluster-management.io"
	clustersWebhook = "managedclustermutators.admission.cluster.open-cluster-management.io"

	fieldManager = "wheelwright-fleet"
)

// Install makes the hub ask the server at the URL before it takes works and clusters, and refuse
// them when it does not answer. The CA bundle, in PEM, is what the server's certificate is
// verified by.
func Install(ctx context.Context, hubConfig *rest.Config, url string, caBundle []byte) error {
	hubClient, err := client.New(hubConfig, client.Options{})
	if err != nil {
		return fmt.Errorf("cannot make a client to install the hub's admission webhooks: %w", err)
	}
	for _, configuration := range []client.Object{
		worksConfiguration(url, caBundle),
		clustersConfiguration(url, caBundle),
	} {
		err := hubClient.Patch(ctx, configuration, client.Apply, client.FieldOwner(fieldManager), client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("cannot install the hub's admission webhook %s: %w", configuration.GetName(), err)
		}
	}
	return nil
}

func worksConfiguration(url string, caBundle []byte) *admissionregistrationv1.ValidatingWebhookConfiguration {
	url += worksPath
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta: metav1.TypeMeta{
			APIVersion: admissionregistrationv1.SchemeGroupVersion.String(),
			Kind:       "ValidatingWebhookConfiguration",
		},
		ObjectMeta: metav1.ObjectMeta{Name: worksWebhook},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    worksWebhook,
			ClientConfig:            admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: caBundle},
			Rules:                   rules(workv1.GroupName, "manifestworks"),
			FailurePolicy:           ptr(admissionregistrationv1.Fail),
			SideEffects:             ptr(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
			TimeoutSeconds:          ptr(int32(10)),
		}},
	}
}

func clustersConfiguration(url string, caBundle []byte) *admissionregistrationv1.MutatingWebhookConfiguration {
	url += clustersPath
	return &admissionregistrationv1.MutatingWebhookConfiguration{
		TypeMeta: metav1.TypeMeta{
			APIVersion: admissionregistrationv1.SchemeGroupVersion.String(),
			Kind:       "MutatingWebhookConfiguration",
		},
		ObjectMeta: metav1.ObjectMeta{Name: clustersWebhook},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name:                    clustersWebhook,
			ClientConfig:            admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: caBundle},
			Rules:                   rules("cluster.open-cluster-management.io", "managedclusters"),
			FailurePolicy:           ptr(admissionregistrationv1.Fail),
			SideEffects:             ptr(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
			TimeoutSeconds:          ptr(int32(10)),
		}},
	}
}

func rules(group, resource string) []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule: admissionregistrationv1.Rule{
			APIGroups:   []string{group},
			APIVersions: []string{"*"},
			Resources:   []string{resource},
		},
	}}
}

func ptr[T any](value T) *T { return &value }
