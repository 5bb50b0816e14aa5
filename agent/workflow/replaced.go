package workflow

import (
	"context"

	cuexruntime "github.com/kubevela/pkg/cue/cuex/runtime"
	"github.com/kubevela/workflow/pkg/providers/kube"
	legacykube "github.com/kubevela/workflow/pkg/providers/legacy/kube"
	providertypes "github.com/kubevela/workflow/pkg/providers/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// listRequest is what #List takes. The engine's function reads other fields than its own CUE has, and breaks down.
type listRequest struct {
	Kind struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	} `json:"resource"`
	Filter *kube.ListFilter `json:"filter,omitempty"`
}

func (l listRequest) object() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion(l.Kind.APIVersion)
	object.SetKind(l.Kind.Kind)
	return object
}

func (l listRequest) filter() kube.ListFilter {
	if l.Filter == nil {
		return kube.ListFilter{}
	}
	return *l.Filter
}

// replaced are functions that stand in for the engine's own, or nil.
func replaced(provider, name string) cuexruntime.ProviderFn {
	switch {
	case name != "list":
		return nil
	case provider == "kube":
		return providertypes.GenericProviderFn[listRequest, kube.ListReturns](list)
	case provider == "op":
		return providertypes.LegacyGenericProviderFn[listRequest, legacykube.ListReturns](listByOp)
	}
	return nil
}

func list(ctx context.Context, params *providertypes.Params[listRequest]) (*kube.ListReturns, error) {
	filter := params.Params.filter()
	return kube.List(ctx, &kube.ResourceParams{
		Params: kube.ResourceVars{Resource: params.Params.object(), Filter: &filter}, RuntimeParams: params.RuntimeParams,
	})
}

func listByOp(ctx context.Context, params *providertypes.LegacyParams[listRequest]) (*legacykube.ListReturns, error) {
	filter := params.Params.filter()
	return legacykube.List(ctx, &legacykube.ResourceParams{
		Params: legacykube.ResourceVars{
			Resource: params.Params.object(),
			Filter:   &legacykube.ListFilter{Namespace: filter.Namespace, MatchingLabels: filter.MatchingLabels},
		},
		RuntimeParams: params.RuntimeParams,
	})
}
