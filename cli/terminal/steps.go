// Package terminal tells a person what is going on: steps as they end, and what is still under way.
package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Steps shows steps that may overlap. On a terminal the steps under way are kept on one last line; elsewhere only ends are
// printed, and what takes long is mentioned now and then.
type Steps struct {
	out         io.Writer
	interactive bool
	width       func() int

	mu      sync.Mutex
	running []*step
	shown   bool // the last line shows what is under way

	stop chan struct{}
	done sync.WaitGroup
}

type step struct {
	name      string
	news      string
	began     time.Time
	mentioned time.Time
}

const (
	refresh     = 200 * time.Millisecond
	mentionLong = 10 * time.Second
)

// NewSteps starts showing steps on out, until Close.
func NewSteps(out io.Writer) *Steps {
	s := &Steps{out: out, stop: make(chan struct{}), width: func() int { return 80 }}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		s.interactive = true
		s.width = func() int {
			if width, _, err := term.GetSize(int(file.Fd())); err == nil {
				return width
			}
			return 80
		}
	}
	s.done.Go(s.tick)
	return s
}

// Close stops showing. Steps that have not ended are forgotten.
func (s *Steps) Close() {
	close(s.stop)
	s.done.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
}

// Begin shows that a step begins. The returned function ends it.
func (s *Steps) Begin(name string) (done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	this := &step{name: name, began: now, mentioned: now}
	s.running = append(s.running, this)
	return func(err error) { s.end(this, err) }
}

// Follow is Begin for a step that has more to say as it goes on: news replaces its line on a terminal and is printed
// elsewhere.
func (s *Steps) Follow(name string) (news func(string), done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	this := &step{name: name, began: time.Now(), mentioned: time.Now()}
	s.running = append(s.running, this)
	news = func(text string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if text == this.news {
			return
		}
		this.news, this.mentioned = text, time.Now()
		if !s.interactive {
			fmt.Fprintf(s.out, "    %6s  %s\n", seconds(time.Since(this.began)), text)
		}
	}
	return news, func(err error) { s.end(this, err) }
}

// Run is Begin, the function and its end.
func (s *Steps) Run(name string, run func() error) error {
	done := s.Begin(name)
	err := run()
	done(err)
	return err
}

// Printf prints lines between the steps.
func (s *Steps) Printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	fmt.Fprintf(s.out, format, args...)
}

func (s *Steps) end(this *step, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *step) bool { return other == this })
	s.wipe()
	mark := "✓"
	if err != nil {
		mark = "✗"
	}
	fmt.Fprintf(s.out, "  %s %s (%s)\n", mark, this.name, seconds(time.Since(this.began)))
}

func (s *Steps) tick() {
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-ticker.C:
			s.show(now)
		}
	}
}

// show redraws the last line on a terminal, and elsewhere mentions what takes long.
func (s *Steps) show(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interactive {
		s.wipe()
		if line := s.underWay(now); line != "" {
			fmt.Fprint(s.out, line)
			s.shown = true
		}
		return
	}
	for _, this := range s.running {
		if now.Sub(this.mentioned) >= mentionLong {
			this.mentioned = now
			fmt.Fprintf(s.out, "  … %s (%s so far)\n", this.name, seconds(now.Sub(this.began)))
		}
	}
}

func (s *Steps) underWay(now time.Time) string {
	if len(s.running) == 0 {
		return ""
	}
	names := make([]string, 0, len(s.running))
	for _, this := range s.running {
		if this.news != "" {
			names = append(names, this.name+": "+this.news)
		} else {
			names = append(names, this.name)
		}
	}
	line := []rune(fmt.Sprintf("  … %s (%s)", strings.Join(names, ", "), seconds(now.Sub(s.running[0].began))))
	return string(line[:min(len(line), max(s.width()-1, 20))])
}

// wipe clears the last line, if it shows what is under way.
func (s *Steps) wipe() {
	if s.shown {
		fmt.Fprint(s.out, "\r\033[K")
		s.shown = false
	}
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
