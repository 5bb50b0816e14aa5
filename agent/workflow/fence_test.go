package workflow_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOnlyTwoPackagesImportTheEngine reads the imports of the whole module.
func TestOnlyTwoPackagesImportTheEngine(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"agent/workflow", "shared/patch", "internal/pins"}
	files := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		foreign := strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"third_party", "controlplane"}, entry.Name())
		if entry.IsDir() && path != root && foreign {
			return filepath.SkipDir
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil || !strings.HasSuffix(path, ".go") || slices.Contains(allowed, folder) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, spec := range file.Imports {
			if imported, _ := strconv.Unquote(spec.Path.Value); strings.HasPrefix(imported, "github.com/kubevela/") {
				t.Errorf("%s imports %s: the engine is fenced in by agent/workflow", path, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}

// TestThePartsOfTheEngineThatKeepStateAreNotLinked covers its step status cache, the ConfigMaps of its contexts in use by its
// executor, its backoff in memory, and the panic of asking for that without a context.
func TestThePartsOfTheEngineThatKeepStateAreNotLinked(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(output))
	if !slices.Contains(linked, "github.com/kubevela/workflow/pkg/tasks/custom") {
		t.Error("the engine's task runner is not linked")
	}
	for _, unwanted := range []string{"pkg/executor", "pkg/generator", "pkg/tasks/builtin", "pkg/tasks", "pkg/debug", "controllers"} {
		if slices.Contains(linked, "github.com/kubevela/workflow/"+unwanted) {
			t.Errorf("%s is linked: see docs/decisions/0008-workflow-engine.md", unwanted)
		}
	}
}
