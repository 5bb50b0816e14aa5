// Package hub puts Wheelwright's hub controllers together.
package hub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	workv1 "open-cluster-management.io/api/work/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"wheelwright.dev/wheelwright/dispatch/ocm"
	"wheelwright.dev/wheelwright/hub/application"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// Options of Setup.
type Options struct {
	// Workers is how many objects each controller reconciles at a time.
	Workers int
	// ProgressDeadline is how long applied content may be unhealthy before it counts as failed.
	ProgressDeadline time.Duration
	// Evaluation bounds what evaluating definitions may take. Default: that of package evaluate.
	Evaluation evaluate.Options
}

// AddToScheme registers every kind that the hub's controllers read or write.
func AddToScheme(scheme *runtime.Scheme) error {
	return errors.Join(
		clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), corev1alpha1.AddToScheme(scheme),
		workv1.Install(scheme), clusterv1.Install(scheme), clusterv1beta1.Install(scheme), clusterv1beta2.Install(scheme),
	)
}

// CacheOptions is what the manager's cache must be limited to.
func CacheOptions() (map[client.Object]cache.ByObject, error) {
	works, err := ocm.CacheOptions()
	if err != nil {
		return nil, err
	}
	revisions, err := application.CacheOptions()
	if err != nil {
		return nil, err
	}
	maps.Copy(works, revisions)
	return works, nil
}

// Setup adds all controllers to a manager whose scheme and cache were made with AddToScheme and CacheOptions. The program must
// call evaluate.ServeIfWorker first thing in main.
func Setup(ctx context.Context, mgr ctrl.Manager, options Options) error {
	features, err := ocm.DetectFeatures(ctx, mgr.GetAPIReader())
	if err != nil {
		return err
	}
	if err := ocm.Index(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	dispatcher := ocm.New(ocm.Options{
		HubClient: mgr.GetClient(), HubReader: mgr.GetAPIReader(), Features: features, ProgressDeadline: options.ProgressDeadline,
	})
	if err := ocm.SetupNamespaces(mgr, dispatcher); err != nil {
		return err
	}
	evaluator := evaluate.New(options.Evaluation)
	if err := mgr.Add(evaluator); err != nil {
		return fmt.Errorf("adding the worker processes: %w", err)
	}
	err = application.Setup(mgr, application.Options{Dispatcher: dispatcher, Checker: evaluator, Workers: options.Workers})
	if err != nil {
		return err
	}
	return addProbes(mgr)
}

// addProbes: alive while the process answers, ready when the caches that every decision reads from are filled.
func addProbes(mgr ctrl.Manager) error {
	synced := func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the caches are not filled yet")
		}
		return nil
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", synced)); err != nil {
		return fmt.Errorf("adding probes: %w", err)
	}
	return nil
}
