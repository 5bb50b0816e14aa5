// Command definition prints the ComponentDefinition of a folder of CUE files, as it is applied to a hub.
//
//	go run ./hack/definition examples/quickstart/definitions/component/webservice
package main

import (
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
kind: ComponentDefinition
metadata:
  name: %s
spec:
  apiVersion: %s
  files:
`

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: definition FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	read, err := definition.FromDirectory(os.DirFS(filepath.Dir(folder)), filepath.Base(folder))
	if err != nil {
		return err
	}
	fmt.Printf(header, filepath.ToSlash(folder), corev1alpha1.GroupVersion, read.Name, read.APIVersion)
	for _, file := range read.FileNames() {
		fmt.Printf("    %s: |\n", file)
		for line := range strings.Lines(read.Files[file]) {
			fmt.Print(strings.TrimRight("      "+line, " \n"), "\n")
		}
	}
	return nil
}
