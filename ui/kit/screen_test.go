package kit_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

// parts is a small program made of the parts of the kit.
type parts struct {
	th    *theme.Theme
	w, h  int
	names []string
	list  kit.Lines
	field *kit.Field
	over  kit.Overlays
	said  string
}

func (d *parts) Actions() []kit.Action {
	do := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			return nil
		}
	}
	return append([]kit.Action{
		{Keys: kit.Bind("pick", "", "space"), Footer: true, Group: "Files", Do: do(func() { d.said = "picked " + text.Safe(d.names[d.list.Cursor()]) })},
		{Keys: kit.Bind("filter", "", "/"), Footer: true, Group: "Files", Do: do(d.field.Focus)},
		{Keys: kit.Bind("leave", "", "esc"), Group: "Files", Do: do(d.field.Blur)},
		{Keys: kit.Bind("help", "", "?"), Footer: true, Group: "Everywhere", Do: do(func() { d.over.Open(kit.NewHelp("Help", d.Actions())) })},
	}, kit.ListActions(func() kit.Scroller { return &d.list }, nil)...)
}

func (d *parts) Capturing() bool                  { return d.field.Focused() }
func (d *parts) Type(msg tea.Msg) (tea.Cmd, bool) { return nil, d.field.Update(msg) }

func (d *parts) Init() tea.Cmd { return nil }

func (d *parts) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		d.w, d.h = size.Width, size.Height
		d.over.Resize(pt(d.w, d.h))
		d.list.SetHeight(d.h - 5)
		return d, nil
	}
	var focus kit.Focus = d
	if o := d.over.Top(); o != nil {
		focus = o
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		press(focus, msg.String())
	case tea.PasteMsg:
		focus.Type(msg)
	}
	return d, nil
}

func (d *parts) View() tea.View {
	d.list.SetLen(len(d.names))
	size := pt(d.w, d.h-3)
	rows := d.list.View(kit.BoxInner(size), func(i, w int, on bool) string {
		name := text.PadRight(text.Safe(d.names[i]), w)
		if on {
			return d.th.Selected.Render(name)
		}
		return name
	})
	screen := kit.JoinV(d.field.View(d.w, d.th), kit.Box("Files", rows, size, true, d.th),
		text.PadRight(d.said+" ", d.w), kit.Hints(d.Actions(), d.w, d.th))
	v := tea.NewView(text.Fit(d.over.View(screen, d.th), d.w, d.h))
	v.AltScreen = true
	return v
}

// TestOnATerminal: what the parts draw is at its place on a real terminal, whatever the names are.
func TestOnATerminal(t *testing.T) {
	d := &parts{th: theme.New(true, true), field: kit.NewField("Filter", "type"), names: []string{
		"plain.jpg", "写真.jpg", "🎉 party.gif", "cafe\u0301.png", "день 1 — naïve (final).txt", "हिन्दी नाम.jpg", "\x1b[31mred\x1b[0m",
		"gpj\u202egnp.exe", "a\nb", "\xff\xfe", "👩\u200d🚀.png", "❤\ufe0f.png", "한국어.jpg", "z" + strings.Repeat("\u0336", 60),
	}}
	term := uitest.Start(t, d, 44, 20)
	term.WaitFor("pick")
	lines := strings.Split(term.Screen(), "\n")
	for y := 2; y < 2+len(d.names); y++ {
		line := lines[y]
		if !strings.HasPrefix(line, "│") || !strings.HasSuffix(line, "│") || text.Width(line) != 44 {
			t.Errorf("row %d is out of its box: %q", y, line)
		}
	}
	for _, want := range []string{`\x1b[31mred\x1b[0m`, `gpj\u{202e}gnp.exe`, `a\x0ab`, `\xff\xfe`, "写真.jpg"} {
		if !strings.Contains(term.Screen(), want) {
			t.Errorf("%q is not on the screen:\n%s", want, term.Screen())
		}
	}
	// The emulator drops marks after ASCII letters, so check the output of the program.
	if !strings.Contains(term.Raw(), "cafe\u0301.png") {
		t.Error("a letter lost its mark")
	}
	term.Press("G", "up", "space")
	term.WaitFor("picked 한국어.jpg")
	term.Press("/")
	term.Type("hello wörld")
	term.Press("ctrl+w")
	term.Paste("写真\n")
	term.WaitFor("Filter hello 写真\n")
	term.Press("esc", "home", "?")
	term.WaitFor("Everywhere")
	term.Type("pick")
	term.WaitGone("Everywhere")
	term.Press("enter")
	term.WaitFor("picked plain.jpg")
	term.Resize(20, 6)
	term.WaitUntil(func(screen string) bool {
		lines := strings.Split(screen, "\n")
		return len(lines) == 6 && strings.HasPrefix(lines[1], "╭─ Files ─") && ansi.StringWidth(lines[1]) == 20
	})
}
