// Package builder stands in for apiserver-runtime's server builder, which Wheelwright never runs.
// See third_party/README.md.
package builder

import "k8s.io/apiserver/pkg/server"

// GenericAPIServer is the server type that dependants name in their hooks.
type GenericAPIServer = server.GenericAPIServer
