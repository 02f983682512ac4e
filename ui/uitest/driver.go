package uitest

import (
	"image"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Driver drives one screen without a program, through the same [page.Host] as the root
// model. It runs the screen's commands without their delays, returns their messages to the
// screen, and collects the messages for others.
type Driver struct {
	T testing.TB
	// Host shows the screen under the ID passed to [Drive].
	Host   page.Host
	Screen page.Screen
	// Size is the size of the screen; change it with Resize.
	Size image.Point
	// Theme draws the screen.
	Theme *theme.Theme
	// Out holds the messages for others, in order; remove them with [Taken].
	Out []tea.Msg
	// Drop reports messages to withhold from the screen, such as an endless tick; nil delivers all.
	Drop func(msg tea.Msg) bool
	// Hold, if not nil, collects commands instead of running them.
	Hold *[]tea.Cmd

	drawn string // last text
}

// Drive starts and shows a screen of the given size. The with functions set up the driver first.
func Drive(t testing.TB, id page.ID, s page.Screen, size image.Point, with ...func(*Driver)) *Driver {
	t.Helper()
	d := &Driver{T: t, Screen: s, Size: size, Theme: theme.New(true, true)}
	d.Host.Tick = func(_ time.Duration, then func(time.Time) tea.Msg) tea.Cmd {
		return func() tea.Msg { return then(time.Time{}) }
	}
	for _, set := range with {
		set(d)
	}
	d.Host.Paint(d.Theme)
	d.Host.Resize(size)
	d.Run(d.Host.Add(id, s))
	d.Run(d.Host.Show(id, false))
	return d
}

// Send sends a message to the screen.
func (d *Driver) Send(msg tea.Msg) {
	d.T.Helper()
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		d.input(msg)
	case tea.MouseMsg:
		d.Run(d.Host.Mouse(msg))
	default:
		d.Run(d.Host.Tell(d.Screen, msg))
	}
	d.Text()
}

// Press presses keys by name, such as "g", "G", "ctrl+s".
func (d *Driver) Press(keys ...string) {
	d.T.Helper()
	for _, k := range keys {
		d.input(kit.KeyMsg(k))
		d.Text()
	}
}

// Type types text character by character.
func (d *Driver) Type(words string) {
	d.T.Helper()
	for _, r := range words {
		if r == ' ' {
			d.Press("space")
			continue
		}
		d.Press(string(r))
	}
}

func (d *Driver) input(msg tea.Msg) {
	d.T.Helper()
	cmd, reason, _ := d.Host.Press(msg)
	if press, ok := msg.(tea.KeyPressMsg); reason != "" && ok && press.String() != "esc" {
		d.Out = append(d.Out, page.Toast{Level: page.Info, Text: text.Sentence(reason)}) // as the root does
	}
	d.Run(cmd)
}

// Do runs the action with the given ID as its key would. It reports whether the action
// exists and is enabled.
func (d *Driver) Do(id string) bool {
	d.T.Helper()
	for _, a := range d.Host.Actions() {
		if a.ID == id && a.Reason() == "" {
			d.Run(a.Do())
			d.Text()
			return true
		}
	}
	return false
}

// Resize changes the size of the screen.
func (d *Driver) Resize(size image.Point) {
	d.T.Helper()
	d.Size = size
	d.Run(d.Host.Resize(size))
}

// Run runs a command and all commands that follow from it, in order.
func (d *Driver) Run(cmd tea.Cmd) {
	d.T.Helper()
	if d.Hold != nil {
		*d.Hold = append(*d.Hold, cmd)
		return
	}
	steps := 0
	for todo := []tea.Cmd{cmd}; len(todo) > 0; todo = todo[1:] {
		if steps++; steps > restful {
			d.T.Fatal("the commands of the screen do not end")
		}
		if todo[0] == nil {
			continue
		}
		switch msg := todo[0]().(type) {
		case nil:
		case tea.BatchMsg:
			todo = append(todo, msg...)
		default:
			if list, ok := sequence(msg); ok {
				todo = append(todo, list...)
				continue
			}
			todo = append(todo, d.Answer(msg))
		}
	}
}

// sequence returns the commands of a tea.Sequence, whose message type is not exported.
func sequence(msg tea.Msg) ([]tea.Cmd, bool) {
	v, list := reflect.ValueOf(msg), reflect.TypeFor[[]tea.Cmd]()
	if !v.CanConvert(list) {
		return nil, false
	}
	return v.Convert(list).Interface().([]tea.Cmd), true
}

// Answer routes the message of a command as the root does. Messages for others and events go to
// Out.
func (d *Driver) Answer(msg tea.Msg) tea.Cmd {
	from := d.Screen
	if r, ok := msg.(page.Reply); ok {
		if from, msg, ok = d.Host.Open(r); !ok {
			return nil
		}
	}
	if d.Drop != nil && d.Drop(msg) {
		return nil
	}
	if ForOthers(msg) {
		d.Out = append(d.Out, msg)
		return nil
	}
	if _, event := msg.(page.Event); event {
		d.Out = append(d.Out, msg)
	}
	return d.Host.Deliver(from, msg)
}

// ForOthers reports whether the root or Bubble Tea handles a message.
func ForOthers(msg tea.Msg) bool {
	switch msg.(type) {
	case page.Show, page.Back, page.Compose, page.Inspect, page.UseProfile, page.Ask, page.Toast, page.Retract,
		page.Copy, page.Open:
		return true
	}
	return reflect.TypeOf(msg).PkgPath() == reflect.TypeFor[tea.KeyPressMsg]().PkgPath()
}

// Text returns the screen without styles.
func (d *Driver) Text() string {
	d.drawn = ansi.Strip(d.Host.View(d.Theme))
	return d.drawn
}

// Flat returns the text of the screen as one line.
func (d *Driver) Flat() string { return Flat(d.Text()) }

// Sees checks that the screen shows all words.
func (d *Driver) Sees(words ...string) {
	d.T.Helper()
	Shows(d.T, d.Text(), words...)
}

// SeesNot checks that the screen shows none of the words.
func (d *Driver) SeesNot(words ...string) {
	d.T.Helper()
	Lacks(d.T, d.Text(), words...)
}

// Toasted checks that a toast contains the words, and removes all toasts from Out.
func (d *Driver) Toasted(words string) {
	d.T.Helper()
	Toasted(d.T, &d.Out, words)
}

// Question removes the only question from Out and returns it.
func (d *Driver) Question() page.Ask {
	d.T.Helper()
	return One[page.Ask](d.T, &d.Out)
}

// Choose picks the first choice of a question whose label begins with label.
func (d *Driver) Choose(q page.Ask, label string) {
	d.T.Helper()
	for _, c := range q.Choices {
		if strings.HasPrefix(c.Label, label) {
			d.Pick(c)
			return
		}
	}
	d.T.Fatalf("no choice begins with %q: %+v", label, q.Choices)
}

// Pick picks a choice of a question.
func (d *Driver) Pick(c page.Choice) {
	d.T.Helper()
	if c.Do != nil {
		d.Run(d.Host.Ran(d.Screen, c.Do()))
	}
	d.Text()
}
