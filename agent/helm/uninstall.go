package helm

import (
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/kube"
	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/api/meta"
)

// uninstall removes the release, and its history once all of its objects are gone. A release that is not there is done with.
func (o *operation) uninstall() (map[string]any, error) {
	history, err := o.history()
	if err != nil {
		return nil, err
	}
	returns := map[string]any{"releaseName": o.parameters.Release, "namespace": o.request.Identity.Component.Namespace}
	if len(history) == 0 {
		return returns, nil
	}
	last := history[len(history)-1]
	if err := o.checkOwner(last); err != nil {
		return nil, err
	}
	if last.Info.Status != release.StatusUninstalled {
		// The history is kept until the objects are gone, as the one note of what they are.
		if err := o.runUninstall(true); err != nil {
			return nil, err
		}
	}
	if err := o.awaitGone(last); err != nil {
		return nil, err
	}
	if o.parameters.KeepHistory {
		return returns, nil
	}
	return returns, o.runUninstall(false)
}

func (o *operation) runUninstall(keepHistory bool) error {
	uninstall := action.NewUninstall(o.config)
	uninstall.KeepHistory, uninstall.IgnoreNotFound = keepHistory, true
	uninstall.Timeout, uninstall.Wait = o.parameters.timeout, true
	uninstall.DisableHooks = o.parameters.DisableHooks
	uninstall.Description = o.description()
	if _, err := uninstall.Run(o.parameters.Release); err != nil {
		return fmt.Errorf("release %s: %w", o.name(), err)
	}
	return nil
}

// awaitGone waits for the objects of the release. Helm waits too, but takes a release for uninstalled if that fails.
func (o *operation) awaitGone(record *release.Release) error {
	objects, err := o.config.KubeClient.Build(strings.NewReader(record.Manifest), false)
	if meta.IsNoMatchError(err) || err != nil && strings.Contains(err.Error(), "no matches for kind") {
		return nil // a CRD is gone, and all objects of its kind with it
	}
	if err != nil {
		return fmt.Errorf("reading the objects of release %s: %w", o.name(), err)
	}
	var going kube.ResourceList
	for _, object := range objects {
		accessor, err := meta.Accessor(object.Object)
		if err != nil {
			return err
		}
		if accessor.GetAnnotations()[kube.ResourcePolicyAnno] != kube.KeepPolicy {
			going = append(going, object)
		}
	}
	if err := o.config.KubeClient.(kube.InterfaceExt).WaitForDelete(going, o.parameters.timeout); err != nil {
		return fmt.Errorf("objects of release %s are still there: %w", o.name(), err)
	}
	return nil
}
