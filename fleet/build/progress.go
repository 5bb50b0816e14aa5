package build

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// terminalRefresh is how often the one line on a terminal is redrawn.
	terminalRefresh = 200 * time.Millisecond
	// logRefresh is how often a line is added where lines cannot be redrawn: often enough to
	// see that it is alive, rarely enough not to drown a CI log.
	logRefresh = 10 * time.Second
)

// progress shows one job to a person: how far it is, and how it ended. On a terminal that is
// one line that changes; elsewhere it is a line now and then.
type progress struct {
	out      io.Writer
	terminal bool
	started  time.Time

	mu     sync.Mutex
	status string // what is being done right now, without the elapsed time

	stop chan struct{}
	done chan struct{}
}

// startProgress shows the status until finish is called.
func startProgress(out io.Writer, terminal bool, status string) *progress {
	p := &progress{
		out:      out,
		terminal: terminal,
		started:  time.Now(),
		status:   status,
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	go p.show()
	return p
}

// set replaces the status; it is shown at the next refresh.
func (p *progress) set(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = fmt.Sprintf(format, args...)
}

// say prints one line that stays.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, p.lineStart()+format+"\n", args...)
}

// finish ends the display, on a terminal by clearing its line.
func (p *progress) finish() {
	close(p.stop)
	<-p.done
	fmt.Fprint(p.out, p.lineStart())
}

func (p *progress) show() {
	defer close(p.done)
	refresh := logRefresh
	if p.terminal {
		refresh = terminalRefresh
	}
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.draw()
		}
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	lineEnd := "\n"
	if p.terminal {
		lineEnd = ""
	}
	fmt.Fprintf(p.out, "%s  %s, %s%s", p.lineStart(), p.status, p.elapsed(), lineEnd)
}

// lineStart returns to the start of the line and clears it, where the line is redrawn.
func (p *progress) lineStart() string {
	if p.terminal {
		return "\r\x1b[K"
	}
	return ""
}

// elapsed is how long the job has been running, to a tenth of a second while that is short.
func (p *progress) elapsed() time.Duration {
	elapsed := time.Since(p.started)
	if elapsed < 10*time.Second {
		return elapsed.Round(100 * time.Millisecond)
	}
	return elapsed.Round(time.Second)
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
