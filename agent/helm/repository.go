package helm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/repo"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/agent/outbound"
)

// maxIndexSize bounds a repository's index. Those of large public repositories have some 20 MiB.
const maxIndexSize = 50 << 20

// fromRepository fetches a packed chart from a chart repository.
func (s *source) fromRepository(ctx context.Context) ([]byte, error) {
	entry, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	if len(entry.URLs) == 0 {
		return nil, fmt.Errorf("the index of its repository gives no URL for version %s", entry.Version)
	}
	address, err := repo.ResolveReferenceURL(s.reference.Repository, entry.URLs[0])
	if err != nil {
		return nil, errors.New("the index of its repository gives a URL that is none")
	}
	packed, err := s.get(ctx, address, s.options.MaxChartSize)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(packed)
	if want := strings.TrimPrefix(entry.Digest, "sha256:"); want != "" && want != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("what was fetched is not what its repository's index describes: its digest is %x, not %s", sum, want)
	}
	return packed, nil
}

// find looks a version up in the repository's index. Without a version it is the latest that is no pre-release.
func (s *source) find(ctx context.Context) (*repo.ChartVersion, error) {
	address, err := url.JoinPath(s.reference.Repository, "index.yaml")
	if err != nil {
		return nil, refused("repository is no URL such as https://host/path")
	}
	content, err := s.get(ctx, address, maxIndexSize)
	if err != nil {
		return nil, fmt.Errorf("the index of its repository: %w", err)
	}
	index := &repo.IndexFile{}
	if err := yaml.Unmarshal(content, index); err != nil {
		return nil, fmt.Errorf("the index of its repository is no index: %w", err)
	}
	for name, versions := range index.Entries {
		index.Entries[name] = sound(versions)
	}
	index.SortEntries()
	entry, err := index.Get(s.reference.Chart, s.reference.Version)
	if err != nil {
		return nil, fmt.Errorf("version %q is not in its repository: %w", s.reference.Version, err)
	}
	return entry, nil
}

// sound leaves out entries that Helm's own code cannot hold.
func sound(versions repo.ChartVersions) repo.ChartVersions {
	var kept repo.ChartVersions
	for _, version := range versions {
		if version == nil || version.Metadata == nil {
			continue
		}
		if version.APIVersion == "" {
			version.APIVersion = chart.APIVersionV1
		}
		kept = append(kept, version)
	}
	return kept
}

// get fetches what is at address. Credentials go to the repository's own host alone.
func (s *source) get(ctx context.Context, address string, limit int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("its URL is none")
	}
	if home, err := url.Parse(s.reference.Repository); err == nil && s.username != "" &&
		request.URL.Scheme == home.Scheme && request.URL.Host == home.Host {
		request.SetBasicAuth(s.username, s.password)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", request.URL.Host, response.Status)
	}
	return outbound.ReadAll(response.Body, limit)
}
