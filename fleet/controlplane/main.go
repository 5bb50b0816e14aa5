// Command controlplane is a whole Kubernetes control plane in one file: the first argument
// chooses which of its programs to be, the others are that program's own flags.
//
// The programs are etcd, kube-apiserver, kube-controller-manager and kube-scheduler as
// Kubernetes ships them, and kwok, which plays the nodes. The fleet starts one process of
// each; see package embedded for the flags that it gives them.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// programs maps each program's name to its main function, which returns the exit code.
// By the time that one runs, os.Args is what the program's own binary would see.
func programs() map[string]func() int {
	return map[string]func() int{
		"etcd":                    func() int { etcdmain.Main(os.Args); return 0 },
		"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
		"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
		"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
		"kwok":                    runKwok,
	}
}

func main() {
	all := programs()
	if len(os.Args) < 2 || all[os.Args[1]] == nil {
		names := make([]string, 0, len(all))
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintf(os.Stderr, "usage: %s PROGRAM [its flags]; PROGRAM is one of %s\n",
			filepath.Base(os.Args[0]), strings.Join(names, ", "))
		os.Exit(2)
	}
	os.Args = os.Args[1:]
	os.Exit(all[os.Args[0]]())
}
