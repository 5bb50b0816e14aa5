// Package loopback picks ports on 127.0.0.1 for the programs of a fleet to listen on.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"syscall"
)

// Ports are picked from below those that the kernel gives to outgoing connections: otherwise
// such a connection could sit on the port of a server that a test has stopped for a while.
const (
	firstPort = 20000
	lastPort  = 32000
	tries     = 200
)

// FreePorts returns n different ports that nobody listens on. Another program may take one of
// them before the caller listens on it, so that the caller must be able to try again with
// other ports: see Taken.
func FreePorts(n int) ([]int, error) {
	var held []net.Listener
	defer func() {
		for _, listener := range held {
			listener.Close()
		}
	}()
	picked := make([]int, n)
	for i := range picked {
		listener, err := listenAnywhere()
		if err != nil {
			return nil, err
		}
		held = append(held, listener)
		picked[i] = listener.Addr().(*net.TCPAddr).Port
	}
	return picked, nil
}

// CheckFree fails when somebody listens on the port, and says what to do about it.
func CheckFree(port int) error {
	listener, err := listen(port)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is already taken: end the program that listens there (`ss -ltnp sport = :%d` names it) or choose another port: %w", port, port, err)
	}
	if err != nil {
		return fmt.Errorf("listen on port %d: %w", port, err)
	}
	return listener.Close()
}

// Taken is what a program's output holds when its port turned out to be taken.
func Taken() string { return syscall.EADDRINUSE.Error() }

func listenAnywhere() (net.Listener, error) {
	var last error
	for range tries {
		listener, err := listen(firstPort + rand.IntN(lastPort-firstPort))
		if err == nil {
			return listener, nil
		}
		last = err
	}
	return nil, fmt.Errorf("find a free port from %d to %d: %d tries failed, the last with: %w", firstPort, lastPort, tries, last)
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
}
