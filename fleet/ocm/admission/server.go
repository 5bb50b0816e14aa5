// Package admission stands in for the admission webhooks of Open Cluster Management's hub: the
// one that validates ManifestWorks, above all their size, and of the one for ManagedClusters the
// part that gives each a cluster set.
package admission

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	worksPath    = "/validate-work-open-cluster-management-io-v1-manifestwork"
	clustersPath = "/mutate-cluster-open-cluster-management-io-v1-managedcluster"
)

// Options configure a server. HubConfig and Certificate are required.
type Options struct {
	// HubConfig is used to ask the hub what a user may do.
	HubConfig *rest.Config
	// Certificate is the server's, for the IP address that it listens on.
	Certificate tls.Certificate
	// Address to listen on. Default 127.0.0.1:0, any free port of loopback.
	Address string
	// Limit of the manifests of one work, in bytes of their protobuf encoding. Default
	// DefaultLimit.
	Limit int
}

// Server answers the hub's admission reviews.
type Server struct {
	listener net.Listener
	server   *http.Server
}

// Listen opens the server's port; nothing is answered before Serve.
func Listen(ctx context.Context, options Options) (*Server, error) {
	if options.Address == "" {
		options.Address = "127.0.0.1:0"
	}
	if options.Limit == 0 {
		options.Limit = DefaultLimit
	}
	kube, err := kubernetes.NewForConfig(options.HubConfig)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub's access reviews: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", options.Address)
	if err != nil {
		return nil, fmt.Errorf("cannot serve the hub's admission webhooks: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle(worksPath, &admission.Webhook{Handler: &workValidator{
		reviews: kube.AuthorizationV1().SubjectAccessReviews(),
		limit:   options.Limit,
	}})
	mux.Handle(clustersPath, &admission.Webhook{Handler: admission.HandlerFunc(defaultClusterSet)})
	return &Server{
		listener: tls.NewListener(listener, &tls.Config{
			MinVersion:   tls.VersionTLS12,
			Certificates: []tls.Certificate{options.Certificate},
			NextProtos:   []string{"http/1.1"},
		}),
		server: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second},
	}, nil
}

// URL is where the server can be reached, without a path: what Install takes.
func (s *Server) URL() string { return "https://" + s.listener.Addr().String() }

// Serve answers until ctx ends, and finishes the answers that are under way then.
func (s *Server) Serve(ctx context.Context) error {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := s.server.Shutdown(grace); err != nil {
			_ = s.server.Close() // whoever has not got an answer by now asks again
		}
	})
	err := s.server.Serve(s.listener)
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("the hub's admission webhooks have stopped: %w", err)
}
