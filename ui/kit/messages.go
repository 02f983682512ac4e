package kit

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/progress"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Level is the importance of a message.
type Level int

// The levels of a message.
const (
	Info Level = iota
	Good
	Warn
	Bad
	Tip
)

// maxMessages is the maximum number of messages in the history.
const maxMessages = 200

// Message is a short message in the status line.
type Message struct {
	Level Level
	// Text is one sentence.
	Text string
	// Detail is more text for the history, or empty.
	Detail string
}

func (m Message) whole() string { return m.Text + text.If(m.Detail != "", "\n"+m.Detail) }

func (m Message) mark(th *theme.Theme) (sign string, style lipgloss.Style) {
	switch m.Level {
	case Good:
		return th.Glyph(theme.SignGood), th.Good
	case Warn:
		return th.Glyph(theme.SignWarn), th.Warn
	case Bad:
		return th.Glyph(theme.SignBad), th.Bad
	case Tip:
		return "Tip", th.Title
	}
	return th.Glyph(theme.SignInfo), th.Info
}

func (m Message) stay() time.Duration {
	switch m.Level {
	case Warn, Bad:
		return 12 * time.Second
	case Tip:
		return 15 * time.Second
	}
	return 5 * time.Second
}

// MessageOver tells [Messages] that the time of a message is over.
type MessageOver struct{ generation int }

// Messages holds the latest message, which the status line shows for some time, and a
// history of the earlier ones.
type Messages struct {
	now        func() time.Time
	history    []history
	shown      bool
	generation int
}

type history struct {
	Message
	at time.Time
}

// NewMessages returns an empty history. The clock now is time.Now outside of tests.
func NewMessages(now func() time.Time) *Messages { return &Messages{now: now} }

// Push shows a message and returns the command that removes it. A repeated message
// appears once in the history.
func (s *Messages) Push(m Message) tea.Cmd {
	// What was said twice is kept once, and a tip only until the next message.
	if n := len(s.history); n > 0 && (s.history[n-1].Message == m || s.history[n-1].Level == Tip) {
		s.history = s.history[:n-1]
	}
	s.history = append(s.history, history{m, s.now()})
	s.history = s.history[max(0, len(s.history)-maxMessages):]
	s.shown = true
	s.generation++
	over := MessageOver{s.generation}
	return tea.Tick(m.stay(), func(time.Time) tea.Msg { return over })
}

// Update removes the message whose time is over, and reports whether msg was a
// [MessageOver].
func (s *Messages) Update(msg tea.Msg) bool {
	over, ok := msg.(MessageOver)
	if ok && over.generation == s.generation {
		s.shown = false
	}
	return ok
}

// Dismiss removes the message, and reports whether one was shown.
func (s *Messages) Dismiss() bool {
	shown := s.shown
	s.shown = false
	return shown
}

// Retract removes the message if it is m.
func (s *Messages) Retract(m Message) {
	if shown, ok := s.Shown(); ok && shown == m {
		s.shown = false
	}
}

// Shown returns the message in the status line; ok is false if there is none.
func (s *Messages) Shown() (m Message, ok bool) {
	if !s.shown {
		return Message{}, false
	}
	return s.history[len(s.history)-1].Message, true
}

// Empty reports whether there has been no message yet.
func (s *Messages) Empty() bool {
	return !slices.ContainsFunc(s.history, func(h history) bool { return h.Level != Tip })
}

// Line draws the status line, exactly width columns. If the history has more text than
// fits, the line ends with more, the key of the history.
func (s *Messages) Line(width int, more string, th *theme.Theme) string {
	m, ok := s.Shown()
	if !ok {
		return text.Blanks(width)
	}
	sign, style := m.mark(th)
	words, rest := text.Safe(m.Text), style
	room := width - text.Width(sign) - 1
	whole := text.Safe(strings.TrimSpace(m.Text + " " + strings.ReplaceAll(m.Detail, "\n", " · ")))
	hidden := text.Width(whole) > room
	if words = text.Either(hidden, words, whole); m.Level == Good { // the names of what went well can wait
		hidden = text.Width(words) > room
	}
	end := text.If(more != "" && hidden, "  "+th.Key.Render(more)+th.Hint.Render(" whole message"))
	if m.Level != Warn && m.Level != Bad { // only the sign needs a color
		rest = text.Either(m.Level == Tip, th.Muted, th.Text)
	}
	words = text.Truncate(words, max(0, room-text.Width(end)))
	return text.Fit(style.Render(sign)+" "+rest.Render(words)+end, width, 1)
}

// History returns a menu of all messages, latest first. Enter shows one in full, and a key copies
// it.
func (s *Messages) History(open func(Overlay) tea.Cmd, copy func(words string) tea.Cmd, th *theme.Theme) *Menu {
	var rows []MenuRow
	for _, history := range slices.Backward(s.history) {
		if history.Level == Tip {
			continue
		}
		sign, _ := history.mark(th)
		rows = append(rows, MenuRow{
			Label: text.PadRight(sign, 4) + history.Text, Note: text.Age(history.at, s.now()), More: history.whole() + "\n" + text.Date(history.at),
			Do: func() tea.Cmd { return open(NewReader("Message", history.whole())) },
		})
	}
	m := NewMenu("Messages", rows...)
	m.Verb = "read"
	m.Beside = []Action{
		{ID: "history.copy", Keys: Bind("copy", "", "y"), Footer: true, Do: func() tea.Cmd {
			m.Close()
			return copy(s.history[len(s.history)-1-m.list.Cursor()].whole())
		}},
		{ID: "history.close", Keys: Bind("close", "", "!"), Do: m.Close},
	}
	return m
}

// Progress is the progress of a job. The zero value means not started.
type Progress struct {
	// Done and Total are bytes. Total is 0 or less if unknown.
	Done, Total int64
	// Stalled means that nothing has moved for a while.
	Stalled bool
}

// Bar draws the bar, exactly width columns, never full: a job that is done has no bar.
// If the total is unknown, the bar is empty.
func (p Progress) Bar(width int, th *theme.Theme) string {
	if width < 1 {
		return ""
	}
	style, share := text.Either(p.Stalled, th.BarStalled, th.Bar), min(text.Share(p.Done, p.Total), 1-1/float64(width))
	full, rest := th.BarGlyphs()
	bar := progress.New(progress.WithWidth(width), progress.WithoutPercentage(),
		progress.WithFillCharacters(full, rest),
		progress.WithColors(style.GetForeground()))
	bar.EmptyColor = th.BarEmpty.GetForeground()
	return bar.ViewAs(share)
}
