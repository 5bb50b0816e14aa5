// Package config stands in for cluster-gateway's names. See third_party/README.md.
package config

// The API that cluster-gateway serves, as its clients name it.
const (
	MetaApiGroupName    = "cluster.core.oam.dev"
	MetaApiVersionName  = "v1alpha1"
	MetaApiResourceName = "clustergateways"
)
