package fault

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// boundaries are those of the pipeline of KEP-2.2, in its order.
var boundaries = []string{
	"verify", "load definition", "diff", "load workflow state", "pre-dispatch steps", "directives", "pre traits", "evaluate",
	"dispatch", "post-dispatch steps", "persist workflow", "isHealthy", "exports", "post traits",
}

// Stretches of boundaries between which nothing is written, so that one place stands for all of them.
var (
	beginning  = boundaries[:4]
	rendering  = boundaries[5:8]
	judgement  = boundaries[11:13]
	preSteps   = boundaries[4:5]
	dispatched = boundaries[8:9]
	postSteps  = boundaries[9:10]
	persisting = boundaries[10:11]
	postTraits = boundaries[13:]
)

// kill is one end of an agent, and what came of it.
type kill struct {
	event string
	// acts are those of the event until then; the last one is that at which it was.
	acts  []string
	after bool
	told  int
	ended bool
}

func (k kill) String() string {
	side := "before"
	if k.after {
		side = "after"
	}
	return fmt.Sprintf("killed %s act %d of the %s event, %s", side, len(k.acts), k.event, k.acts[len(k.acts)-1])
}

// boundaries are those that the kill stands for. A kill before a write stands for all since the write before it.
func (k kill) boundaries() []string {
	earlier, what := k.acts[:len(k.acts)-1], k.acts[len(k.acts)-1]
	if k.event == "delete" {
		return boundariesOfDeletion(earlier, what)
	}
	hasActed := slices.ContainsFunc(earlier, func(act string) bool { return act != actStatus && act != actFinalizer })
	behind := slices.Index(earlier, actJob+" behind")
	added := behind >= 0 && slices.ContainsFunc(earlier[behind:], isApplying)
	switch {
	case added:
		return postTraits
	case behind >= 0 && isApplying(what) && !k.after:
		return judgement
	case behind >= 0 && isApplying(what):
		return postTraits
	case behind >= 0 && what == actStatus:
		return persisting
	case behind >= 0 || what == actJob+" behind":
		return postSteps
	case slices.ContainsFunc(earlier, isApplying) && what == actStatus:
		return persisting
	case isApplying(what) && !k.after && !slices.ContainsFunc(earlier, isApplying):
		return rendering
	case slices.ContainsFunc(append(earlier, what), isApplying):
		return dispatched
	case hasActed || what != actStatus && what != actFinalizer:
		return preSteps
	}
	return beginning
}

func isApplying(act string) bool { return act == actTracker || act == actApply }

// boundariesOfDeletion leaves out what a delete event has not: it renders and judges nothing.
func boundariesOfDeletion(earlier []string, what string) []string {
	removing := func(act string) bool { return act == actDelete || act == actTrackerDelete }
	switch {
	case what == actFinalizer:
		return persisting
	case removing(what):
		return dispatched
	case what == actStatus && slices.ContainsFunc(earlier, removing):
		return persisting
	case what == actHelm:
		return postSteps
	case len(earlier) == 0:
		return beginning
	}
	return preSteps
}

// kills are all of a test.
type kills struct {
	mutex sync.Mutex
	list  []kill
}

func (k *kills) add(one kill) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.list = append(k.list, one)
}

// report prints what each boundary and event came to, and fails for those at which no agent was killed.
func (k *kills) report(t *testing.T) {
	t.Helper()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "BOUNDARY\tEVENT\tKILLS\tJOBS OF EACH STEP\tRELEASE REVISIONS\tNOTIFICATIONS\tENDED WELL")
	for _, boundary := range boundaries {
		for _, event := range []string{"create", "upgrade", "delete"} {
			counted, ended, told := 0, 0, map[int]int{}
			for _, one := range k.list {
				if one.event != event || !slices.Contains(one.boundaries(), boundary) {
					continue
				}
				counted++
				told[one.told]++
				if one.ended {
					ended++
				}
			}
			if event == "delete" && slices.Contains(slices.Concat(rendering, judgement, postTraits), boundary) {
				fmt.Fprintf(table, "%s\t%s\tno such part\t\t\t\t\n", boundary, event)
				continue
			}
			if counted == 0 {
				t.Errorf("no agent was killed at boundary %s of a %s event", boundary, event)
			}
			release := map[string]string{"create": "1", "upgrade": "1 more", "delete": "0 left"}[event]
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\tonce: %d, twice: %d\t%d\n",
				boundary, event, counted, "1", release, told[1], told[2], ended)
		}
	}
	_ = table.Flush() // into memory
	t.Logf("%d agents were killed:\n%s\n%s", len(k.list), text.String(),
		"Boundaries between two writes share their kills: the agent is killed before the next write, and nothing was changed since\n"+
			"the last one. A number of Jobs, revisions or notifications other than those fails the test.")
}
