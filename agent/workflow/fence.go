package workflow

import (
	"context"
	"errors"
	"sync"

	"github.com/kubevela/pkg/cue/cuex"
	cuexruntime "github.com/kubevela/pkg/cue/cuex/runtime"
	"github.com/kubevela/pkg/util/singleton"
	wfcontext "github.com/kubevela/workflow/pkg/context"
	"github.com/kubevela/workflow/pkg/features"
	wfproviders "github.com/kubevela/workflow/pkg/providers"
	wfversion "github.com/kubevela/workflow/version"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fence sets, once, everything that the engine keeps for the whole process. What is left unset there is made on first use,
// from a kubeconfig that the engine looks for by itself, and ends the process where there is none.
var fence = sync.OnceFunc(func() {
	// Every step gets the client of its event. Whatever would go past it gets no rights at all.
	singleton.KubeClient.Set(refusingClient{})
	singleton.KubeConfig.Set(&rest.Config{Host: "https://kubevela.invalid"})

	// Packages come with this program. Looking for more would list a kind that the cluster does not have.
	wfproviders.EnableExternalPackageForDefaultCompiler = false
	wfproviders.EnableExternalPackageWatchForDefaultCompiler = false
	cuex.EnableExternalPackageForDefaultCompiler = false
	cuex.EnableExternalPackageWatchForDefaultCompiler = false
	cuexruntime.DefaultClientInsecureSkipVerify = false

	// By it the engine picks what to rewrite of templates for older releases: all that it knows. Unset, it says so each time.
	wfversion.VelaVersion = "1.11.0"

	// Each of these makes the engine keep state of its own, or changes when a step counts as finished.
	wfcontext.EnableInMemoryContext = false
	for _, gate := range []string{
		string(features.EnableSuspendOnFailure), string(features.EnablePatchStatusAtOnce),
		string(features.EnableBackupWorkflowRecord), string(features.EnableWatchEventListener),
	} {
		_ = feature.DefaultMutableFeatureGate.Set(gate + "=false") // fails only for a gate that does not exist
	}
})

var errFenced = errors.New("the workflow engine has no access to the cluster of its own")

// refusingClient has no rights.
type refusingClient struct{ client.Client }

func (refusingClient) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errFenced
}

func (refusingClient) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errFenced
}

func (refusingClient) Create(context.Context, client.Object, ...client.CreateOption) error {
	return errFenced
}

func (refusingClient) Update(context.Context, client.Object, ...client.UpdateOption) error {
	return errFenced
}

func (refusingClient) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return errFenced
}

func (refusingClient) Delete(context.Context, client.Object, ...client.DeleteOption) error {
	return errFenced
}

func (refusingClient) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return errFenced
}
