package helm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"helm.sh/helm/v3/pkg/registry"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"wheelwright.dev/wheelwright/agent/outbound"
)

// maxManifestSize bounds the manifest of a chart, which names its layers.
const maxManifestSize = 1 << 20

// fromRegistry fetches a packed chart from an OCI registry. Helm's own client reads whatever a registry sends, for as long as it
// sends it; this one knows sizes beforehand and checks digests.
func (s *source) fromRegistry(ctx context.Context) ([]byte, error) {
	repository, err := remote.NewRepository(strings.TrimPrefix(s.reference.Chart, ociPrefix))
	if err != nil {
		return nil, refused("it is no reference such as oci://host/path/name: %w", err)
	}
	if repository.Reference.Reference != "" {
		return nil, refused("it says a version: put that into version")
	}
	repository.PlainHTTP = s.options.plainHTTP(repository.Reference.Host())
	credentials := auth.Credential{Username: s.username, Password: s.password}
	repository.Client = &auth.Client{
		Client: s.client, Credential: auth.StaticCredential(repository.Reference.Host(), credentials), Cache: auth.NewCache(),
	}
	manifest, err := readManifest(ctx, repository, s.reference.Version)
	if err != nil {
		return nil, err
	}
	for _, layer := range manifest.Layers {
		if layer.MediaType != registry.ChartLayerMediaType && layer.MediaType != registry.LegacyChartLayerMediaType {
			continue
		}
		if layer.Size > s.options.MaxChartSize {
			return nil, fmt.Errorf("%w: it has %d bytes; at most %d are taken", outbound.ErrTooLarge, layer.Size, s.options.MaxChartSize)
		}
		return content.FetchAll(ctx, repository, layer)
	}
	return nil, refused("version %s is there, but is no Helm chart", s.reference.Version)
}

// readManifest finds a version by its tag. A tag cannot have the + of a version, so Helm writes it as _.
func readManifest(ctx context.Context, repository *remote.Repository, version string) (*ocispec.Manifest, error) {
	described, body, err := repository.Manifests().FetchReference(ctx, strings.ReplaceAll(version, "+", "_"))
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if described.Size > maxManifestSize {
		return nil, fmt.Errorf("its manifest has %d bytes; at most %d are taken", described.Size, maxManifestSize)
	}
	read, err := content.ReadAll(body, described)
	if err != nil {
		return nil, err
	}
	manifest := &ocispec.Manifest{}
	if err := json.Unmarshal(read, manifest); err != nil {
		return nil, fmt.Errorf("its manifest is none: %w", err)
	}
	return manifest, nil
}
