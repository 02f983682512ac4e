package ui

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// ticks counts what a clock does in a time.
func ticks(c <-chan time.Time, d time.Duration) (n int) {
	over := time.After(d)
	for {
		select {
		case <-c:
			n++
		case <-over:
			return n
		}
	}
}

// TestFramesPace: a change after a rest is drawn soon, changes in a row no more
// often than a terminal is drawn, and nothing hardly ever.
func TestFramesPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Frames{ticker: time.NewTicker(frameTime)}
		defer f.ticker.Stop()
		for range 3 {
			begin := time.Now()
			f.due()
			<-f.ticker.C
			if took := time.Since(begin); took != soonTime {
				t.Errorf("the frame of a change came after %v", took)
			}
			if n := ticks(f.ticker.C, time.Second); n > 10 {
				t.Errorf("%d frames in a second of rest", n)
			}
		}
		n := 0
		for range 1000 { // a message a millisecond
			f.due()
			n += ticks(f.ticker.C, time.Millisecond)
		}
		if n < FramesPerSecond-2 || n > FramesPerSecond+8 {
			t.Errorf("%d frames in a second full of changes", n)
		}
		<-time.After(time.Second)
		synctest.Wait()
		if f.pace != atRest {
			t.Error("the clock does not slow down")
		}
	})
}

// probe ends as soon as it was drawn, and tells of the clock.
type probe struct{ frames *Frames }

func (probe) Init() tea.Cmd { return nil }

func (p probe) Update(tea.Msg) (tea.Model, tea.Cmd) { return p, tea.Quit }

func (p probe) View() tea.View {
	p.frames.change()
	return tea.NewView("")
}

// TestFramesOfProgram: the clock of the framework is where it is looked for. When
// this fails after an update of the framework, see what has become of it.
func TestFramesOfProgram(t *testing.T) {
	f := &Frames{}
	p := tea.NewProgram(probe{f}, tea.WithInput(nil), tea.WithoutSignalHandler(), tea.WithOutput(io.Discard))
	f.Pace(p)
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if f.ticker == nil {
		t.Fatal("the clock of the program was not found")
	}
}
