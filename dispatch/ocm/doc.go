// Package ocm dispatches by ManifestWorks on an OCM hub: it writes what package dispatch packs, prunes by owner and reads
// back. It is the one place that writes works.
package ocm
