package kit

import (
	"image"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Focus is a part that can have the focus: a screen or an overlay.
type Focus interface {
	// Actions returns the available actions, the most important first.
	Actions() []Action
	// Capturing reports whether a text field has the focus, so that letters are
	// text.
	Capturing() bool
	// Type gives a key press or a paste to the focused text field, before any action is
	// looked up, and reports whether the field used it. A field uses only keys that edit
	// its text or move in it.
	Type(msg tea.Msg) (cmd tea.Cmd, used bool)
}

// Overlay is a menu, dialog, reader or picker over a screen. It takes all keys while it
// is open, and returns its result through a callback.
type Overlay interface {
	Focus
	// Resize sets the room for the overlay, when it opens and on every change.
	Resize(room image.Point)
	// Mouse handles a mouse message, with a position relative to the overlay's corner.
	Mouse(msg tea.MouseMsg) tea.Cmd
	// View draws the overlay as a block no larger than room, to be centered.
	View(room image.Point, th *theme.Theme) string
	// Closed reports whether to remove the overlay.
	Closed() bool
}

// Updater is an overlay that also receives the messages of its screen, such as the
// replies to its commands.
type Updater interface {
	Update(msg tea.Msg) tea.Cmd
}

// Popup is embedded by overlays. It has no text field, ignores the mouse and the size,
// and stays open until Close.
type Popup struct{ closed bool }

// Capturing returns false: letters are keys of actions.
func (p *Popup) Capturing() bool { return false }

func (p *Popup) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Resize does nothing: the overlay is laid out when it is drawn.
func (p *Popup) Resize(image.Point) {}

func (p *Popup) Mouse(tea.MouseMsg) tea.Cmd { return nil }

func (p *Popup) Closed() bool { return p.closed }

// Close closes the overlay and returns nil.
func (p *Popup) Close() tea.Cmd {
	p.closed = true
	return nil
}

// popupBox draws the box of a popup. It makes the title safe.
func popupBox(title, footer, body string, size image.Point, th *theme.Theme) string {
	return box(size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted, text.Safe(title), footer, body)
}

// popupText is popupBox for lines of the width [PaneWidth].
func popupText(title, footer string, lines []string, size image.Point, th *theme.Theme) string {
	margin := text.Blanks(paneMargin(BoxInner(size).X))
	return popupBox(title, footer, margin+strings.Join(lines, "\n"+margin), size, th)
}

// Overlays is a stack of overlays; the top one has the focus. The zero value is empty.
type Overlays struct {
	// Front is the top overlay as drawn last; empty if none is open.
	Front string

	open []Overlay
	room image.Point
	at   image.Point // the upper left corner of the top one when it was drawn
}

// Open puts an overlay on top and returns nil, for actions that do nothing else.
func (s *Overlays) Open(o Overlay) tea.Cmd {
	s.trim()
	o.Resize(s.room)
	s.open = append(s.open, o)
	return nil
}

// Resize sets the room for all overlays, including those opened later.
func (s *Overlays) Resize(room image.Point) {
	s.room = room
	for _, o := range s.open {
		o.Resize(room)
	}
}

// Top returns the overlay that has the focus, or nil.
func (s *Overlays) Top() Overlay {
	s.trim()
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1]
}

// Update sends a message to each open [Updater].
func (s *Overlays) Update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range s.open {
		if u, ok := o.(Updater); ok && !o.Closed() {
			cmds = append(cmds, u.Update(msg))
		}
	}
	return tea.Batch(cmds...)
}

// CloseAll closes all overlays without a result.
func (s *Overlays) CloseAll() { s.open = nil }

func (s *Overlays) trim() { s.open = slices.DeleteFunc(slices.Clone(s.open), Overlay.Closed) }

// View draws the open overlays over base, the top one last.
func (s *Overlays) View(base string, th *theme.Theme) string {
	s.Front = ""
	for _, o := range s.open {
		if !o.Closed() {
			top, room := o.View(s.room, th), Size(base)
			s.Front = top
			size := Size(top)
			s.at = centered(room, size)
			base = Dim(base, th)
			base = OverlayAt(base, text.Blanks(room.X), 0, room.Y-1) // the status is about what is behind
			area := image.Rectangle{Min: s.at, Max: s.at.Add(size)}
			area.Min.X, area.Max.X = max(0, area.Min.X-1), area.Max.X+1
			if area.Min.X < narrow { // the beginnings of words, and slices of pictures, are noise
				area.Min.X = 0
			}
			if room.X-area.Max.X < narrow {
				area.Max.X = room.X
			}
			base = OverlayAt(cleared(base, area), top, s.at.X, s.at.Y)
		}
	}
	return base
}

// Mouse sends a mouse message to the top overlay. Its position is relative to the corner
// of the room.
func (s *Overlays) Mouse(msg tea.MouseMsg) tea.Cmd {
	o := s.Top()
	if o == nil {
		return nil
	}
	return o.Mouse(Moved(msg, s.at))
}

// Moved returns msg with its position relative to origin.
func Moved(msg tea.MouseMsg, origin image.Point) tea.MouseMsg {
	at := msg.Mouse()
	at.X -= origin.X
	at.Y -= origin.Y
	switch msg.(type) {
	case tea.MouseClickMsg:
		return tea.MouseClickMsg(at)
	case tea.MouseReleaseMsg:
		return tea.MouseReleaseMsg(at)
	case tea.MouseWheelMsg:
		return tea.MouseWheelMsg(at)
	}
	return tea.MouseMotionMsg(at)
}

// narrow is the width from which what is left of a popup stays.
const narrow = 9

// minReleaseDelay is the minimum time for which the terminal is released. Bubble Tea's
// renderer goroutine stops asynchronously on release, and stops the ticker of whatever
// renders then: if the terminal is restored sooner, it stays blank.
const minReleaseDelay = 150 * time.Millisecond

// ExecProcess releases the terminal while command runs. done turns its result into a message.
func ExecProcess(command *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	return tea.Exec(process{command, nil}, done)
}

// Suspend releases the terminal while the program is stopped by stop. Bubble Tea's message for it
// stops the program too soon after the release.
func Suspend(stop func() error) tea.Cmd { return tea.Exec(process{&exec.Cmd{}, stop}, nil) }

// process uses the terminal itself where Bubble Tea wraps it: a wrapper would become a pipe.
type process struct {
	*exec.Cmd
	stop func() error // instead of the command
}

func (p process) Run() error {
	released := time.After(minReleaseDelay)
	if p.stop != nil {
		<-released
		return p.stop()
	}
	err := p.Cmd.Run()
	<-released
	return err
}

func (p process) SetStdin(r io.Reader) {
	if p.Stdin = r; wraps(r, os.Stdin) {
		p.Stdin = os.Stdin
	}
}

func (p process) SetStdout(w io.Writer) {
	if p.Stdout = w; wraps(w, os.Stdout) {
		p.Stdout = os.Stdout
	}
}

func (p process) SetStderr(w io.Writer) { p.Stderr = w }

func wraps(stream any, f *os.File) bool {
	s, ok := stream.(interface{ Fd() uintptr })
	return ok && s.Fd() == f.Fd()
}
