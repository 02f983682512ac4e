package kit

import (
	"image"
	"slices"
	"strings"
	"time"

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

// whole returns the text with the detail.
func (m Message) whole() string {
	if m.Detail == "" {
		return m.Text
	}
	return m.Text + "\n" + m.Detail
}

// mark returns the sign of the message and its style.
func (m Message) mark(th *theme.Theme) (sign string, style lipgloss.Style) {
	switch m.Level {
	case Good:
		return th.Glyph(theme.SignGood), th.Good
	case Warn:
		return th.Glyph(theme.SignWarn), th.Warn
	case Bad:
		return th.Glyph(theme.SignBad), th.Bad
	}
	return th.Glyph(theme.SignInfo), th.Info
}

// stay returns how long the message stays in the status line.
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
	told       []told
	shown      bool
	generation int
}

type told struct {
	Message
	at time.Time
}

// NewMessages returns an empty history. The clock now is time.Now outside of tests.
func NewMessages(now func() time.Time) *Messages { return &Messages{now: now} }

// Push shows a message and returns the command that removes it. A repeated message
// appears once in the history.
func (s *Messages) Push(m Message) tea.Cmd {
	if n := len(s.told); n > 0 && s.told[n-1].Message == m {
		s.told = s.told[:n-1]
	}
	s.told = append(s.told, told{m, s.now()})
	s.told = s.told[max(0, len(s.told)-maxMessages):]
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

// Shown returns the message in the status line; ok is false if there is none.
func (s *Messages) Shown() (m Message, ok bool) {
	if !s.shown {
		return Message{}, false
	}
	return s.told[len(s.told)-1].Message, true
}

// Empty reports whether there has been no message yet.
func (s *Messages) Empty() bool { return len(s.told) == 0 }

// Line draws the status line, exactly width columns. If the history has more text than
// fits, the line ends with more, the key of the history.
func (s *Messages) Line(width int, more string, th *theme.Theme) string {
	m, ok := s.Shown()
	if !ok {
		return text.Blanks(width)
	}
	sign, style := m.mark(th)
	words := sign + " " + text.Safe(m.Text)
	end := text.If(more != "" && (m.Detail != "" || text.Width(words) > width), "  "+th.Key.Render(more)+th.Hint.Render(" more"))
	return text.Fit(style.Render(text.Truncate(words, max(0, width-text.Width(end))))+end, width, 1)
}

// History is an overlay with the full text of all messages, latest first.
type History struct {
	Popup
	list List
	told []told
	now  time.Time
	copy func(words string) tea.Cmd
	room image.Point
}

var _ Overlay = (*History)(nil)

// History opens the history; copy copies a message.
func (s *Messages) History(copy func(words string) tea.Cmd) *History {
	h := &History{told: slices.Clone(s.told), now: s.now(), copy: copy}
	slices.Reverse(h.told)
	h.list.SetLen(len(h.told))
	return h
}

// Actions returns the actions to move, copy and close.
func (h *History) Actions() []Action {
	return append([]Action{
		{ID: "history.copy", Keys: Bind("copy", "", "y", "enter"), Footer: true, Do: func() tea.Cmd {
			h.Close()
			return h.copy(h.told[h.list.Cursor()].whole())
		}},
		{ID: "history.close", Keys: Bind("close", "", "esc", "q", "!"), Footer: true, Do: h.Close},
	}, ListActions(func() Scroller { return &h.list }, nil)...)
}

// Mouse moves the cursor to the clicked message, or by the wheel.
func (h *History) Mouse(msg tea.MouseMsg) tea.Cmd {
	if _, click := msg.(tea.MouseClickMsg); click {
		sheet, size := h.sheet(h.room, &theme.Theme{})
		at := image.Pt(msg.Mouse().X, msg.Mouse().Y).Sub(BoxOrigin(size))
		if i := sheet.StopAt(at.X, at.Y); i != NoStop {
			h.list.SetCursor(i)
		}
	}
	h.list.Move(wheelBy(msg) / wheelRows)
	return nil
}

// Resize fits the history into room.
func (h *History) Resize(room image.Point) {
	h.room = room
	h.list.SetHeight(max(1, room.Y/3))
}

// View draws the history as a box no larger than room.
func (h *History) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	sheet, size := h.sheet(room, th)
	footer := ""
	if sheet.Len() > BoxInner(size).Y {
		footer = h.list.Position()
	}
	return popupBox("Messages", footer, sheet.View(th), size, th)
}

// sheet draws the messages, one below the other, for a box of that size.
func (h *History) sheet(room image.Point, th *theme.Theme) (*Sheet, image.Point) {
	size := image.Pt(min(room.X, 100), room.Y)
	s := NewSheet(BoxInner(size), size.X)
	for i, m := range h.told {
		from := s.Len()
		sign, style := m.mark(th)
		for n, part := range strings.Split(sign+" "+m.whole()+"\n"+text.When(m.at, h.now), "\n") {
			if n > 0 {
				part = "  " + part
			}
			for _, line := range hang(text.Safe(part), s.Width()) {
				if i == h.list.Cursor() {
					style = th.Selected
					line = text.PadRight(line, s.Width())
				}
				s.Line(i, style.Render(line))
			}
		}
		if i == h.list.Cursor() {
			s.Keep(from)
		}
	}
	if s.Len()+2 < size.Y && size.Y > 3 {
		size.Y = s.Len() + 2
		s.size = BoxInner(size)
	}
	return s, size
}
