package live

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"wheelwright.dev/wheelwright/cli/terminal"
)

// maxHealthy is how many healthy objects are shown side by side. One looks at a tree for those that are not.
const maxHealthy = 20

// Printer writes trees for people.
type Printer struct {
	Now time.Time
	// All shows every object, however many are healthy.
	All bool

	rows [][]string
	home string
}

// Print writes the tree: what is not healthy first, and what is healthy in full only where it is not much.
func (p *Printer) Print(out io.Writer, root *Node) error {
	p.rows = [][]string{{"OBJECT", "FROM", "HEALTH", "AGE", "MESSAGE"}}
	p.home = root.Namespace
	p.node(root, "", "")
	return terminal.Table(out, p.rows)
}

func (p *Printer) node(node *Node, branch, trunk string) {
	key := node.key()
	if key.Namespace == p.home {
		key.Namespace = ""
	}
	from := node.Output
	if node.Step != "" {
		from = "step " + terminal.Clean(node.Step)
	}
	health := string(node.Health)
	if node.Reason != "" {
		health += " (" + node.Reason + ")"
	}
	p.rows = append(p.rows, []string{branch + key.String(), cmp.Or(from, "-"), health, age(node, p.Now), p.message(node)})
	p.below(node, trunk)
}

func (p *Printer) below(node *Node, trunk string) {
	shown, folded := p.fold(node.Below)
	last := len(shown) + len(node.Unread) - 1
	if folded > 0 {
		last++
	}
	for i, child := range shown {
		branch, next := "├─ ", "│  "
		if i == last {
			branch, next = "└─ ", "   "
		}
		p.node(child, trunk+branch, trunk+next)
	}
	var notes []string
	if folded > 0 {
		notes = append(notes, fmt.Sprintf("and %d more healthy: --all shows them", folded))
	}
	for i, note := range append(notes, node.Unread...) {
		branch := "├─ "
		if i+len(shown) == last {
			branch = "└─ "
		}
		p.rows = append(p.rows, []string{trunk + branch + terminal.Clean(note)})
	}
}

// fold sorts by how bad it is, and counts the healthy ones that are not shown.
func (p *Printer) fold(nodes []*Node) (shown []*Node, folded int) {
	var bad, good []*Node
	for _, node := range nodes {
		if node.Healthy() {
			good = append(good, node)
		} else {
			bad = append(bad, node)
		}
	}
	slices.SortStableFunc(bad, func(a, b *Node) int { return cmp.Compare(b.Severity(), a.Severity()) })
	if !p.All && len(good) > maxHealthy {
		folded = len(good) - maxHealthy
		good = good[:maxHealthy]
	}
	return append(bad, good...), folded
}

func (p *Printer) message(node *Node) string {
	if len(node.Held) == 0 {
		return node.Message
	}
	held := "held by " + terminal.Clean(strings.Join(node.Held, ", "))
	if node.Message == "" {
		return held
	}
	return held + "; " + node.Message
}

func age(node *Node, now time.Time) string {
	if node.Created == nil {
		return "-"
	}
	return duration.HumanDuration(node.Age(now))
}
