package helm

import (
	"fmt"
	"slices"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
)

// leaveValidationToTheServer keeps Helm from asking, for each object of a chart, whether the API server validates fields, which
// all since Kubernetes 1.25 do. Helm decodes the OpenAPI document of the object's whole group for that, megabytes at a time,
// and then leaves the validation to the server anyway.
const leaveValidationToTheServer = true

// deploy makes the release be as the step asks. There is no difference between installing and upgrading but for a release that
// is not there: the workflow of a create event may run again after a person restarted it, and that of an upgrade event may be
// the first one that gets so far.
func (o *operation) deploy() (map[string]any, error) {
	history, err := o.history()
	if err != nil {
		return nil, err
	}
	if done, err := o.adopt(history); done != nil || err != nil {
		return done, err
	}
	last, err := o.settle(history)
	if err != nil {
		return nil, err
	}
	if install := o.parameters.Install; last == nil && install != nil && !*install {
		return nil, refused("release %s does not exist: use helm-install, or leave out install: false", o.name())
	}
	source, err := o.helm.newSource(o.ctx, o.request, o.parameters.chartReference)
	if err != nil {
		return nil, err
	}
	loaded, err := source.chart(o.ctx)
	if err != nil {
		return nil, err
	}
	deployed, err := o.apply(last, loaded)
	if err == nil {
		err = o.confirm(deployed)
	}
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", o.name(), err)
	}
	return o.returns(deployed)
}

// confirm reads the record again, since Helm takes an install for done even where it could not write that down.
func (o *operation) confirm(deployed *release.Release) error {
	stored, err := o.config.Releases.Get(deployed.Name, deployed.Version)
	if err == nil && stored.Info.Status != release.StatusDeployed {
		err = fmt.Errorf("its record still says %s", stored.Info.Status)
	}
	if err != nil {
		return fmt.Errorf("that revision %d is deployed could not be recorded: %w", deployed.Version, err)
	}
	return nil
}

// adopt finds what an earlier try at this step has come to. What was rolled back stays so: another try would only be rolled back
// once more.
func (o *operation) adopt(history []*release.Release) (map[string]any, error) {
	for i, record := range history {
		if !o.mine(record) {
			continue
		}
		switch status := record.Info.Status; {
		case status == release.StatusDeployed, status == release.StatusSuperseded:
			return o.returns(record)
		case status == release.StatusFailed && i < len(history)-1:
			if err := o.finishRollback(history); err != nil {
				return nil, err
			}
			return nil, refused("release %s: revision %d failed, and revision %d took its place: %s",
				o.name(), record.Version, history[len(history)-1].Version, record.Info.Description)
		}
	}
	return nil, nil
}

// finishRollback makes the revision again that rolls back what failed, where the agent was killed before it was deployed.
func (o *operation) finishRollback(history []*release.Release) error {
	last := history[len(history)-1]
	if last.Info.Status == release.StatusDeployed || !o.ours(last) {
		return nil
	}
	if _, err := o.config.Releases.Delete(last.Name, last.Version); err != nil {
		return fmt.Errorf("taking back revision %d of release %s: %w", last.Version, o.name(), err)
	}
	for _, record := range slices.Backward(history[:len(history)-1]) {
		if status := record.Info.Status; status != release.StatusDeployed && status != release.StatusSuperseded {
			continue
		}
		rollback := action.NewRollback(o.config)
		rollback.Version, rollback.Timeout, rollback.Wait = record.Version, o.parameters.timeout, true
		rollback.DisableHooks, rollback.MaxHistory = o.parameters.DisableHooks, *o.parameters.MaxHistory
		if err := rollback.Run(record.Name); err != nil {
			return fmt.Errorf("rolling back release %s to revision %d: %w", o.name(), record.Version, err)
		}
		return nil
	}
	return nil
}

// settle makes sure that nothing is under way on the release, and gives the revision to build on, or nil.
func (o *operation) settle(history []*release.Release) (*release.Release, error) {
	if len(history) == 0 {
		return nil, nil
	}
	last := history[len(history)-1]
	if err := o.checkOwner(last); err != nil {
		return nil, err
	}
	status := last.Info.Status
	switch {
	case o.mine(last) && (status.IsPending() || status == release.StatusFailed):
		// The step did not finish it. It is made again from the start, under the same number.
		if _, err := o.config.Releases.Delete(last.Name, last.Version); err != nil {
			return nil, fmt.Errorf("taking back revision %d of release %s: %w", last.Version, o.name(), err)
		}
		return o.settle(history[:len(history)-1])
	case status.IsPending():
		return last, o.breakLock(last)
	case status == release.StatusUninstalling:
		uninstall := action.NewUninstall(o.config)
		uninstall.Timeout, uninstall.Wait, uninstall.DisableHooks = o.parameters.timeout, true, o.parameters.DisableHooks
		if _, err := uninstall.Run(last.Name); err != nil {
			return nil, fmt.Errorf("finishing to uninstall release %s: %w", o.name(), err)
		}
		return nil, nil
	}
	return last, nil
}

// breakLock ends a pending revision that nobody works on. One of this Component is the rest of an agent that was killed: within
// this one, the pool lets one operation at a time onto a release. Anybody else gets the time that the step itself would have.
func (o *operation) breakLock(pending *release.Release) error {
	age := time.Since(pending.Info.LastDeployed.Time)
	if !o.ours(pending) && age < o.parameters.timeout {
		return fmt.Errorf("release %s is in status %s since %s: another operation is under way on it",
			o.name(), pending.Info.Status, age.Round(time.Second))
	}
	return o.fail(pending)
}

// apply installs or upgrades. An uninstalled release whose history was kept is installed on top of that.
func (o *operation) apply(last *release.Release, loaded *chart.Chart) (*release.Release, error) {
	if last == nil || last.Info.Status == release.StatusUninstalled {
		return o.install(loaded, last != nil)
	}
	upgrade := action.NewUpgrade(o.config)
	upgrade.Namespace = o.request.Identity.Component.Namespace
	upgrade.Timeout, upgrade.Wait = o.parameters.timeout, o.parameters.Wait
	upgrade.Atomic, upgrade.CleanupOnFail = o.parameters.RollbackOnFailure, o.parameters.RollbackOnFailure
	upgrade.DisableHooks, upgrade.MaxHistory = o.parameters.DisableHooks, *o.parameters.MaxHistory
	upgrade.ResetValues, upgrade.Labels = true, o.labels()
	upgrade.Description, upgrade.TakeOwnership = o.description(), o.parameters.TakeOver
	upgrade.DisableOpenAPIValidation = leaveValidationToTheServer
	return upgrade.Run(o.parameters.Release, loaded, o.values())
}

func (o *operation) install(loaded *chart.Chart, replace bool) (*release.Release, error) {
	install := action.NewInstall(o.config)
	install.ReleaseName, install.Namespace = o.parameters.Release, o.request.Identity.Component.Namespace
	o.config.Releases.MaxHistory = *o.parameters.MaxHistory
	install.Timeout, install.Wait = o.parameters.timeout, o.parameters.Wait
	install.Atomic, install.Replace = o.parameters.RollbackOnFailure, replace
	install.DisableHooks, install.SkipCRDs = o.parameters.DisableHooks, o.parameters.SkipCRDs
	install.Labels, install.Description = o.labels(), o.description()
	install.TakeOwnership = o.parameters.TakeOver
	install.DisableOpenAPIValidation = leaveValidationToTheServer
	return install.Run(loaded, o.values())
}

// values are never nil, since Helm writes into them.
func (o *operation) values() map[string]any {
	if o.parameters.Values == nil {
		return map[string]any{}
	}
	return o.parameters.Values
}

func (o *operation) description() string {
	identity := o.request.Identity
	return fmt.Sprintf("By step %s of Component %s.", identity.Step, identity.Component.Name)
}
