package page

import (
	"context"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Reply carries the answer to a command back to the screen that asked for it. The [Host]
// wraps the commands of screens and drops replies to screens that are gone, including
// those of another session.
type Reply struct {
	// To is the screen that asked.
	To Screen
	// Gen is the question that is answered; the zero value never goes stale.
	Gen Gen
	// Msg is the answer.
	Msg tea.Msg
}

// Then is an answer that carries what to do with it. It runs in Update for the screen that
// asked, which then receives [Acted], and returns the next command.
type Then func() tea.Cmd

// Do returns a [Then] without a next command.
func Do(do func()) Then {
	return func() tea.Cmd {
		do()
		return nil
	}
}

// Wait is an answer that the [Host] delivers after a delay.
type Wait struct {
	For  time.Duration
	Then tea.Msg
	gen  Gen
}

// After returns a command that answers with msg after d. The [Host] measures the time, so a test
// that drives a screen need not wait.
func After(d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg { return Wait{For: d, Then: msg} }
}

// Within returns a command that calls ask with a time limit and answers with its result.
func Within(ctx context.Context, limit time.Duration, ask func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return ask(ctx)
	}
}

// Questions counts the questions of one kind, such as "which file is under the cursor".
// The zero value is ready to use.
type Questions struct{ n int }

// Ask makes cmd the newest question. Answers to earlier ones are dropped.
func (q *Questions) Ask(cmd tea.Cmd) tea.Cmd {
	q.Drop()
	return wrap(cmd, nil, Gen{q, q.n})
}

// Drop makes all questions so far stale.
func (q *Questions) Drop() { q.n++ }

// Gen is the generation of a question.
type Gen struct {
	of *Questions
	n  int
}

func (g Gen) stale() bool { return g.of != nil && g.n != g.of.n }

// frameworkPath is the package whose own messages never belong to a screen.
var frameworkPath = reflect.TypeFor[tea.KeyPressMsg]().PkgPath()

// wrap addresses the replies of cmd to a screen.
func wrap(cmd tea.Cmd, to Screen, gen Gen) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			for i := range msg {
				msg[i] = wrap(msg[i], to, gen)
			}
			return msg
		case Reply:
			if msg.To == nil {
				msg.To = to
			}
			return msg
		default:
			// Commands to Bubble Tea itself, such as tea.Quit.
			if reflect.TypeOf(msg).PkgPath() == frameworkPath {
				return msg
			}
			return Reply{To: to, Gen: gen, Msg: msg}
		}
	}
}
