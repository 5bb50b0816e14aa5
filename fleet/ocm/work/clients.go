package work

import (
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	workclientset "open-cluster-management.io/api/client/work/clientset/versioned"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// clients are an agent's ways to its two clusters.
type clients struct {
	hub     *hubClient
	spoke   spokeClient
	records workclientset.Interface
	mapper  meta.RESTMapper

	connections []*http.Client
}

// newClients makes the clients. It contacts neither cluster: the mapper asks when it has to.
func newClients(options Options) (*clients, error) {
	hubHTTP, err := rest.HTTPClientFor(options.HubConfig)
	if err != nil {
		return nil, err
	}
	hub, err := newHubClient(options.HubConfig, hubHTTP, options.ClusterName)
	if err != nil {
		return nil, err
	}
	spokeHTTP, err := rest.HTTPClientFor(options.SpokeConfig)
	if err != nil {
		return nil, err
	}
	spoke, err := dynamic.NewForConfigAndClient(options.SpokeConfig, spokeHTTP)
	if err != nil {
		return nil, err
	}
	records, err := workclientset.NewForConfigAndClient(options.SpokeConfig, spokeHTTP)
	if err != nil {
		return nil, err
	}
	mapper, err := apiutil.NewDynamicRESTMapper(options.SpokeConfig, spokeHTTP)
	if err != nil {
		return nil, err
	}
	return &clients{
		hub:         hub,
		spoke:       spokeClient{spoke},
		records:     records,
		mapper:      mapper,
		connections: []*http.Client{hubHTTP, spokeHTTP},
	}, nil
}

// close closes the connections that nobody uses; those in use may be other clients' too.
func (c *clients) close() {
	for _, connection := range c.connections {
		utilnet.CloseIdleConnectionsFor(connection.Transport)
	}
}
