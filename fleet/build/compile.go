package build

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// quietPackages is how many packages are compiled without an announcement: these take seconds.
const quietPackages = 25

// target is one `go build` that a person may have to wait for.
type target struct {
	name     string   // what is built: "the control plane"
	dir      string   // folder of the module
	packages []string // "./cmd/hub"
	flags    []string // of go build, without -v and -o
	env      []string // of go build
	output   string   // file or folder
	duration string   // how long it takes with nothing cached: "about 6 minutes"
	retry    string   // the command that builds it again
}

// compile builds the target. It says one short line when next to nothing has to be compiled,
// and else how long such a build takes and how far this one is.
func compile(ctx context.Context, out io.Writer, t target) error {
	show := startProgress(out, isTerminal(out), "looking up the sources of "+t.name)
	err := t.run(ctx, show)
	show.finish()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("build %s: interrupted; what is compiled so far is kept: %w", t.name, ctx.Err())
	case err != nil:
		return fmt.Errorf("build %s: %w\nto try again: %s", t.name, err, t.retry)
	}
	fmt.Fprintf(out, "Built %s in %s.\n", t.name, show.elapsed())
	return nil
}

func (t target) run(ctx context.Context, show *progress) error {
	total, err := t.countStale(ctx, show)
	if err != nil {
		return err
	}
	if total > quietPackages {
		show.say("Building %s: %s the first time on 2 cores, then cached.", t.name, t.duration)
	}
	tool := goTool{dir: t.dir, env: t.env, onCompile: func(done int) {
		if done < total {
			show.set("compiled %d of %d packages", done, total)
		} else {
			show.set("compiled %d packages, linking", done)
		}
	}}
	args := append([]string{"build", "-v", "-o", t.output}, t.flags...)
	_, err = tool.run(ctx, append(args, t.packages...)...)
	return err
}

// countStale counts the packages that have to be compiled, after downloading their modules.
func (t target) countStale(ctx context.Context, show *progress) (int, error) {
	tool := goTool{dir: t.dir, env: t.env, onDownload: func(modules int) {
		show.set("downloaded %d Go modules", modules)
	}}
	args := append([]string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}, t.flags...)
	list, err := tool.run(ctx, append(args, t.packages...)...)
	return len(strings.Fields(list)), err
}
