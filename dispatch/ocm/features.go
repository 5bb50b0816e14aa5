package ocm

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
)

const worksCRD = "manifestworks.work.open-cluster-management.io"

// DetectFeatures reads what the hub's ManifestWork API offers from its CRD, never by trying. An upgrade of OCM on the hub
// is noticed at the next start of the manager; until then spokes are polled.
func DetectFeatures(ctx context.Context, hubReader client.Reader) (dispatch.Features, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := hubReader.Get(ctx, types.NamespacedName{Name: worksCRD}, crd); err != nil {
		return dispatch.Features{}, fmt.Errorf("reading the CRD %s: %w; this cluster must be an OCM hub", worksCRD, err)
	}
	for _, version := range crd.Spec.Versions {
		if version.Name == dispatch.WorkGroupVersionKind.Version && version.Schema != nil {
			return dispatch.Features{FeedbackWatch: hasScrapeType(version.Schema.OpenAPIV3Schema)}, nil
		}
	}
	return dispatch.Features{}, fmt.Errorf("the CRD %s does not serve %s: upgrade OCM on this hub", worksCRD, dispatch.WorkGroupVersionKind.Version)
}

func hasScrapeType(schema *apiextensionsv1.JSONSchemaProps) bool {
	if schema == nil {
		return false
	}
	configs := schema.Properties["spec"].Properties["manifestConfigs"]
	if configs.Items == nil || configs.Items.Schema == nil {
		return false
	}
	_, found := configs.Items.Schema.Properties["feedbackScrapeType"]
	return found
}
