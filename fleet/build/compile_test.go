package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeModule makes a Go module of the given files and returns its folder.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/test\n\ngo 1.26\n"
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func testTarget(dir string) target {
	return target{
		name: "the test program", dir: dir, packages: []string{"."}, output: filepath.Join(dir, "out"),
		duration: "about 6 minutes", retry: "make it",
	}
}

func TestSmallBuildSaysOneLine(t *testing.T) {
	dir := writeModule(t, map[string]string{"main.go": "package main\n\nfunc main() { println(\"built\") }\n"})
	for _, run := range []string{"first", "cached"} {
		var out strings.Builder
		if err := compile(t.Context(), &out, testTarget(dir)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "Built the test program in ") {
			t.Errorf("%s build said:\n%s", run, got)
		}
	}
	said, err := exec.Command(filepath.Join(dir, "out")).CombinedOutput()
	if err != nil || string(said) != "built\n" {
		t.Errorf("the program said %q: %v", said, err)
	}
}

func TestLargeBuildIsAnnounced(t *testing.T) {
	files := map[string]string{}
	main := "package main\n\nimport (\n"
	for i := range quietPackages {
		// What is compiled must differ from run to run, or it would be cached.
		files[fmt.Sprintf("p%d/p.go", i)] = fmt.Sprintf("package p%d\n\nconst Now = %d\n", i, time.Now().UnixNano())
		main += fmt.Sprintf("\t_ \"example.com/test/p%d\"\n", i)
	}
	files["main.go"] = main + ")\n\nfunc main() {}\n"
	var out strings.Builder
	if err := compile(t.Context(), &out, testTarget(writeModule(t, files))); err != nil {
		t.Fatal(err)
	}
	if want := "Building the test program: about 6 minutes the first time on 2 cores, then cached.\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("the build said:\n%s\nwant first: %s", out.String(), want)
	}
}

func TestFailedBuildShowsTheCompilersErrorsAndHowToRetry(t *testing.T) {
	dir := writeModule(t, map[string]string{"main.go": "package main\n\nfunc main() { undefinedThing() }\n"})
	err := compile(t.Context(), &strings.Builder{}, testTarget(dir))
	for _, want := range []string{"build the test program", "./main.go:3:15: undefined: undefinedThing", "to try again: make it"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
}

func TestInterruptedGoCommandEndsWithItsChildren(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	dir := writeModule(t, map[string]string{"main.go": `package main

import (
	"fmt"
	"os"
	"os/signal"
)

func main() {
	signal.Ignore()
	if err := os.WriteFile(os.Args[1], fmt.Append(nil, os.Getpid()), 0o600); err != nil {
		panic(err)
	}
	select {}
}
`})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if content, _ := os.ReadFile(pidFile); len(content) > 0 {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := goTool{dir: dir}.run(ctx, "run", ".", pidFile)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for exec.Command("kill", "-0", string(pid)).Run() == nil {
		if time.Now().After(deadline) {
			t.Fatalf("process %s is left", pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestOutputOfTheGoCommandIsSorted(t *testing.T) {
	var downloaded, compiled int
	tool := goTool{onDownload: func(n int) { downloaded = n }, onCompile: func(n int) { compiled = n }}
	problems := tool.follow(strings.NewReader(`go: downloading example.com/a v1.0.0
example.com/a
internal/b
# example.com/c
c/c.go:1:2: undefined: x
go: downloading example.com/d v1.0.0
example.com/d/v2
`))
	if downloaded != 2 || compiled != 3 {
		t.Errorf("%d downloads and %d packages were counted, want 2 and 3", downloaded, compiled)
	}
	if want := "  # example.com/c\n  c/c.go:1:2: undefined: x"; strings.Join(problems, "\n") != want {
		t.Errorf("problems are:\n%s", strings.Join(problems, "\n"))
	}
}
