package build

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// modulePath is what the go.mod at the root of a Wheelwright checkout declares.
const modulePath = "wheelwright.dev/wheelwright"

// Root returns the root folder of the Wheelwright checkout that the working directory is in.
// It fails outside of a checkout: everything in this package is built from source.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the Wheelwright checkout: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		found, err := declares(filepath.Join(dir, "go.mod"), modulePath)
		if err != nil {
			return "", fmt.Errorf("find the Wheelwright checkout: %w", err)
		}
		if found {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod of %s in %s or above it: run this inside a checkout of Wheelwright", modulePath, start)
		}
	}
}

// declares reports whether the go.mod file exists and declares the module; the modules nested
// in the checkout have go.mod files of other names.
func declares(gomod, module string) (bool, error) {
	file, err := os.Open(gomod)
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && fields[0] == "module" {
			return fields[1] == module, nil
		}
	}
	return false, lines.Err()
}
