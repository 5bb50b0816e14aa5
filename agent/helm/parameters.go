package helm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chartutil"
	"k8s.io/apimachinery/pkg/runtime"

	"wheelwright.dev/wheelwright/agent/workflow"
)

const (
	defaultTimeout    = 5 * time.Minute
	defaultMaxHistory = 10
)

// parameters are the fields beside #do, of all the actions. Each action takes some of them.
type parameters struct {
	// Release is the Component's name where it is empty.
	Release string `json:"release"`
	// Namespace can only be the Component's.
	Namespace string `json:"namespace"`
	chartReference
	// Values are kept apart, since a whole number must stay one.
	Values map[string]any `json:"-"`
	// Timeout bounds each part of the operation, as it does in Helm.
	Timeout string `json:"timeout"`
	// Wait waits until Helm finds the objects ready. Wheelwright judges health by itself, after dispatch.
	Wait              bool `json:"wait"`
	RollbackOnFailure bool `json:"rollbackOnFailure"`
	SkipCRDs          bool `json:"skipCRDs"`
	DisableHooks      bool `json:"disableHooks"`
	MaxHistory        *int `json:"maxHistory"`
	// Install lets helm-upgrade install a release that is not there. Nil means that it does.
	Install *bool `json:"install"`
	// TakeOver allows a release that another Component, or a person, made.
	TakeOver    bool `json:"takeOver"`
	KeepHistory bool `json:"keepHistory"`

	FromVersion string         `json:"fromVersion"`
	ToVersion   string         `json:"toVersion"`
	FromParams  map[string]any `json:"fromParams"`
	ToParams    map[string]any `json:"toParams"`

	timeout time.Duration
}

// chartReference says where a chart comes from.
type chartReference struct {
	// Chart is the name in the repository, an oci:// reference, or a path in one of the agent's chart directories.
	Chart string `json:"chart"`
	// Repository is the URL of a chart repository.
	Repository string `json:"repository"`
	Version    string `json:"version"`
	// CredentialsSecretRef names a Secret of the Component's namespace with username and password.
	CredentialsSecretRef *secretReference `json:"credentialsSecretRef"`
	// CASecretRef names a Secret of the Component's namespace with certificates in ca.crt.
	CASecretRef           *secretReference `json:"caSecretRef"`
	InsecureSkipTLSVerify bool             `json:"insecureSkipTLSVerify"`
}

type secretReference struct {
	Name string `json:"name"`
}

var (
	commonFields = []string{"release", "namespace", "timeout"}
	chartFields  = []string{
		"chart", "repository", "version", "credentialsSecretRef", "caSecretRef", "insecureSkipTLSVerify",
	}
	deployFields = []string{
		"values", "wait", "rollbackOnFailure", "skipCRDs", "disableHooks", "maxHistory", "takeOver",
	}
	upgradeFields   = []string{"install"}
	uninstallFields = []string{"keepHistory", "takeOver", "disableHooks"}
	migrateFields   = []string{"fromVersion", "toVersion", "fromParams", "toParams"}
)

func installParameters(request workflow.Request) (*parameters, error) {
	return deployParameters(request, commonFields, chartFields, deployFields)
}

func upgradeParameters(request workflow.Request) (*parameters, error) {
	return deployParameters(request, commonFields, chartFields, deployFields, upgradeFields)
}

func deployParameters(request workflow.Request, known ...[]string) (*parameters, error) {
	read, err := readParameters(request, known...)
	if err == nil {
		err = read.chartReference.check()
	}
	return read, err
}

func uninstallParameters(request workflow.Request) (*parameters, error) {
	return readParameters(request, commonFields, uninstallFields)
}

// migrateParameters takes the chart from toParams where it is not said otherwise: those are what the Component asks for now.
func migrateParameters(request workflow.Request) (*parameters, error) {
	read, err := readParameters(request, commonFields, chartFields, migrateFields)
	if err != nil {
		return nil, err
	}
	if read.FromVersion == "" || read.ToVersion == "" {
		return nil, errors.New("it needs fromVersion and toVersion")
	}
	if read.Chart == "" {
		read.Chart, _ = read.ToParams["chart"].(string)
		read.Repository, _ = read.ToParams["repository"].(string)
		read.Version, _ = read.ToParams["version"].(string)
	}
	if read.FromVersion == read.ToVersion {
		return read, nil
	}
	return read, read.chartReference.check()
}

// readParameters refuses fields that the action does not know: a misspelt one would else be left out in silence.
func readParameters(request workflow.Request, known ...[]string) (*parameters, error) {
	fields := maps.Clone(request.Parameters)
	allowed := map[string]bool{}
	for _, names := range known {
		for _, name := range names {
			allowed[name] = true
		}
	}
	for name := range fields {
		if !allowed[name] {
			return nil, fmt.Errorf("it has no parameter %s", name)
		}
	}
	read := &parameters{}
	if values, given := fields["values"]; given && values != nil {
		typed, ok := values.(map[string]any)
		if !ok {
			return nil, errors.New("values must be a struct, as in a chart's values.yaml")
		}
		read.Values = runtime.DeepCopyJSON(typed)
		delete(fields, "values")
	}
	encoded, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("its parameters cannot be encoded: %w", err)
	}
	if err := json.NewDecoder(bytes.NewReader(encoded)).Decode(read); err != nil {
		return nil, fmt.Errorf("its parameters are wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return read, read.complete(request.Identity.Component)
}

// complete checks what all actions have, and fills in what is left out.
func (p *parameters) complete(component workflow.Component) error {
	if p.Release == "" {
		p.Release = component.Name
	}
	if err := chartutil.ValidateReleaseName(p.Release); err != nil {
		return fmt.Errorf("release %q cannot be a release's name: %w", p.Release, err)
	}
	if p.Namespace != "" && p.Namespace != component.Namespace {
		return fmt.Errorf("namespace %s is not the Component's: releases live in the Component's namespace, %s",
			p.Namespace, component.Namespace)
	}
	p.timeout = defaultTimeout
	if p.Timeout != "" {
		timeout, err := time.ParseDuration(p.Timeout)
		if err != nil || timeout <= 0 {
			return fmt.Errorf("timeout %q is no duration such as 10m", p.Timeout)
		}
		p.timeout = timeout
	}
	if p.MaxHistory == nil {
		history := defaultMaxHistory
		p.MaxHistory = &history
	}
	if *p.MaxHistory < 1 {
		return errors.New("maxHistory must be at least 1")
	}
	return nil
}
