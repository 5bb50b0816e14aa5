// Command definition prints the definitions of folders of CUE files, as they are applied to a cluster. They are
// ComponentDefinitions unless -kind says otherwise.
//
//	go run ./hack/definition examples/quickstart/definitions/component/webservice
//	go run ./hack/definition -kind WorkflowStepDefinition manifests/steps/*
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// header is written by hand, as are the blocks under it: a YAML encoder quotes text that has tabs, as CUE has.
const header = `# Generated from %s by 'make generate'.
apiVersion: %s
kind: %s
metadata:
  name: %s
spec:
  apiVersion: %s
  files:
`

func main() {
	kind := flag.String("kind", "ComponentDefinition", "kind of the definitions")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: definition [-kind KIND] FOLDER...")
		os.Exit(2)
	}
	for i, folder := range flag.Args() {
		if i > 0 {
			fmt.Println("---")
		}
		if err := run(*kind, folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func run(kind, folder string) error {
	read, err := definition.FromDirectory(os.DirFS(filepath.Dir(folder)), filepath.Base(folder))
	if err != nil {
		return err
	}
	fmt.Printf(header, filepath.ToSlash(folder), corev1alpha1.GroupVersion, kind, read.Name, read.APIVersion)
	for _, file := range read.FileNames() {
		fmt.Printf("    %s: |\n", file)
		for line := range strings.Lines(read.Files[file]) {
			fmt.Print(strings.TrimRight("      "+line, " \n"), "\n")
		}
	}
	return nil
}
