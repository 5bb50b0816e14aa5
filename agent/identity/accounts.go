// Package identity gives the clients that the agent acts with for Components: its own rights for what the hub dispatched, and
// those of a service account for what a person applied.
package identity

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// maxAccounts bounds the clients that are kept. One that is made anew costs no connection, only a little work.
const maxAccounts = 256

// Actor acts on the cluster with somebody's rights.
type Actor struct {
	// Client reads past every cache.
	Client client.Client
	// Config has the same rights, for libraries that bring a client of their own.
	Config *rest.Config
}

// Accounts makes Actors. It is safe for concurrent use.
type Accounts struct {
	agent  Actor
	scheme *runtime.Scheme
	mapper meta.RESTMapper
	actors *lru.Cache // types.NamespacedName to Actor
}

// New makes Accounts over the agent's own config. Connections are shared by all that have its transport.
func New(config *rest.Config, scheme *runtime.Scheme, mapper meta.RESTMapper) (*Accounts, error) {
	made := &Accounts{scheme: scheme, mapper: mapper, actors: lru.New(maxAccounts)}
	var err error
	if made.agent, err = made.actor(config); err != nil {
		return nil, fmt.Errorf("making the client that the agent acts with: %w", err)
	}
	return made, nil
}

// Agent acts with the agent's own rights.
func (a *Accounts) Agent() Actor { return a.agent }

// ServiceAccount acts with the rights of a service account, whether it exists or not: without any binding it may do nothing.
func (a *Accounts) ServiceAccount(account types.NamespacedName) (Actor, error) {
	if kept, ok := a.actors.Get(account); ok {
		return kept.(Actor), nil
	}
	config := rest.CopyConfig(a.agent.Config)
	// The API server adds the groups of service accounts itself.
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + account.Namespace + ":" + account.Name}
	made, err := a.actor(config)
	if err != nil {
		return Actor{}, fmt.Errorf("making the client that acts as ServiceAccount %s: %w", account, err)
	}
	a.actors.Add(account, made)
	return made, nil
}

func (a *Accounts) actor(config *rest.Config) (Actor, error) {
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return Actor{}, err
	}
	made, err := client.New(config, client.Options{HTTPClient: httpClient, Scheme: a.scheme, Mapper: a.mapper})
	if err != nil {
		return Actor{}, err
	}
	return Actor{Client: made, Config: config}, nil
}
