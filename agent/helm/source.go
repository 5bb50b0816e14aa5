package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/registry"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/outbound"
	"wheelwright.dev/wheelwright/agent/workflow"
)

// downloadLimit bounds how long fetching a chart takes, however slow its server is.
const downloadLimit = 2 * time.Minute

const ociPrefix = registry.OCIScheme + "://"

var chartName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// check finds what is wrong with a reference before anything is asked of anybody.
func (r chartReference) check() error {
	switch {
	case r.Chart == "":
		return errors.New("it names no chart: give chart a name with a repository, an oci:// reference, or a path")
	case r.Repository != "" && !chartName.MatchString(r.Chart):
		return fmt.Errorf("chart %q is no name that a repository has", r.Chart)
	case strings.HasPrefix(r.Chart, ociPrefix) && r.Version == "":
		return errors.New("a chart of a registry needs a version")
	case strings.HasPrefix(r.Chart, ociPrefix) && strings.Contains(r.Chart, ".."):
		return fmt.Errorf("chart %q is no reference such as oci://host/path/name", r.Chart)
	case !strings.HasPrefix(r.Chart, ociPrefix) && strings.Contains(r.Chart, "://"):
		return fmt.Errorf("chart %q has a scheme that is not allowed: use oci://, or a repository", r.Chart)
	}
	if r.Repository == "" {
		return nil
	}
	address, err := url.Parse(r.Repository)
	switch {
	case err != nil:
		return errors.New("repository is no URL such as https://host/path")
	case address.User != nil:
		return errors.New("repository has a user in it: put credentials into a Secret and name it in credentialsSecretRef")
	}
	return nil
}

// source fetches charts for one operation.
type source struct {
	options   Options
	reference chartReference
	client    *http.Client
	username  string
	password  string
}

// newSource resolves the Secrets that the reference names, with the rights of the request.
func (h *Helm) newSource(ctx context.Context, request workflow.Request, reference chartReference) (*source, error) {
	result := &source{options: h.options, reference: reference}
	namespace := request.Identity.Component.Namespace
	if ref := reference.CredentialsSecretRef; ref != nil {
		secret, err := readSecret(ctx, request.Client, namespace, ref.Name, "username", "password")
		if err != nil {
			return nil, fmt.Errorf("credentialsSecretRef: %w", err)
		}
		result.username, result.password = string(secret["username"]), string(secret["password"])
	}
	var authorities []byte
	if ref := reference.CASecretRef; ref != nil {
		secret, err := readSecret(ctx, request.Client, namespace, ref.Name, corev1.ServiceAccountRootCAKey)
		if err != nil {
			return nil, fmt.Errorf("caSecretRef: %w", err)
		}
		authorities = secret[corev1.ServiceAccountRootCAKey]
	}
	var err error
	result.client, err = outbound.NewClient(outbound.Options{
		PlainHTTP: h.options.plainHTTP, LinkLocal: h.options.LinkLocal,
		CA: authorities, SkipVerify: reference.InsecureSkipTLSVerify,
	})
	if err != nil {
		return nil, fmt.Errorf("caSecretRef: %w", err)
	}
	return result, nil
}

func readSecret(ctx context.Context, reader client.Reader, namespace, name string, keys ...string) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
		return nil, fmt.Errorf("reading the Secret: %w", err)
	}
	for _, key := range keys {
		if len(secret.Data[key]) == 0 {
			return nil, fmt.Errorf("there is no %s in Secret %s/%s", key, namespace, name)
		}
	}
	return secret.Data, nil
}

// chart is the chart, complete and of a kind that can be installed.
func (s *source) chart(ctx context.Context) (*chart.Chart, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadLimit)
	defer cancel()
	loaded, err := s.load(ctx)
	if err != nil {
		if errors.Is(err, outbound.ErrTooLarge) {
			return nil, refused("chart %s: %w", s.reference.Chart, err)
		}
		return nil, fmt.Errorf("chart %s: %w", s.reference.Chart, err)
	}
	if kind := loaded.Metadata.Type; kind != "" && kind != "application" {
		return nil, refused("chart %s is of type %s: only applications can be installed", loaded.Name(), kind)
	}
	if err := action.CheckDependencies(loaded, loaded.Metadata.Dependencies); err != nil {
		return nil, refused("chart %s is incomplete: %w", loaded.Name(), err)
	}
	return loaded, nil
}

func (s *source) load(ctx context.Context) (*chart.Chart, error) {
	if s.reference.Repository == "" && !strings.HasPrefix(s.reference.Chart, ociPrefix) {
		return s.fromDirectory()
	}
	fetch := s.fromRepository
	if s.reference.Repository == "" {
		fetch = s.fromRegistry
	}
	packed, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	return loader.LoadArchive(bytes.NewReader(packed))
}
