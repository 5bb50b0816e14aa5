package embedded

import (
	"errors"
	"slices"
	"strings"

	"wheelwright.dev/wheelwright/fleet/loopback"
	"wheelwright.dev/wheelwright/fleet/process"
)

// ports are what the programs of one control plane listen on, all on loopback.
type ports struct {
	apiServer, etcdClient, etcdPeer int
}

// pickPorts picks the ports; apiServer is used as it is unless it is 0.
func pickPorts(apiServer int) (ports, error) {
	if apiServer != 0 {
		if err := loopback.CheckFree(apiServer); err != nil {
			return ports{}, err
		}
	}
	free, err := loopback.FreePorts(4)
	if err != nil {
		return ports{}, err
	}
	// A fixed port is free too, and so may be among those that were picked.
	free = slices.DeleteFunc(free, func(port int) bool { return port == apiServer })
	p := ports{apiServer: apiServer, etcdClient: free[0], etcdPeer: free[1]}
	if apiServer == 0 {
		p.apiServer = free[2]
	}
	return p, nil
}

// lostPort reports whether a program ended because somebody else took one of its ports between
// our picking it and its listening on it.
func lostPort(err error) bool {
	var exit *process.ExitError
	return errors.As(err, &exit) && strings.Contains(strings.Join(exit.LogTail, "\n"), loopback.Taken())
}
