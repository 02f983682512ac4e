package cli

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"mediadesk/api/media"
	"mediadesk/ui/picture"
	"mediadesk/ui/terminal"
)

// widths are texts whose width terminals disagree about.
var widths = []struct{ name, text string }{
	{"Latin", "abc"},
	{"CJK", "漢字かな"},
	{"emoji", "😀🌊"},
	{"emoji family", "👨‍👩‍👧"},
	{"flag", "🇳🇱"},
	{"combining", "e\u0301a\u0308"},
	{"Hindi", "नमस्ते"},
	{"ambiguous", "●→"},
}

// terminalAnswer is what the terminal said when it was asked.
type terminalAnswer struct {
	abilities picture.Abilities
	ground    color.Color
	widths    []int // by the texts of widths; -1: no answer
}

// terminal says what the terminal can, by asking it where there is one.
func (d *doctor) terminal(ctx context.Context) {
	env := d.p.Getenv
	kind := env("TERM")
	if kind == "" {
		kind = "not set"
	}
	d.say(verdictOK, "TERM", "", "%s", kind)
	var around []string
	for _, v := range []struct{ name, word string }{{"TMUX", "tmux"}, {"STY", "GNU screen"}, {"SSH_CONNECTION", "SSH"}, {"WSL_DISTRO_NAME", "WSL"}, {"CI", "CI"}} {
		if env(v.name) != "" {
			around = append(around, v.word)
		}
	}
	if len(around) > 0 {
		d.say(verdictOK, "inside", "", "%s", strings.Join(around, ", "))
	}
	locale := firstSet(env, "LC_ALL", "LC_CTYPE", "LANG")
	if up := strings.ToUpper(locale); locale != "" && !strings.Contains(up, "UTF-8") && !strings.Contains(up, "UTF8") {
		d.say(verdictWarn, "locale", "Set LANG to a UTF-8 locale, such as C.UTF-8.", "%s is not UTF-8: letters and boxes may be garbled", locale)
	}
	in, out := d.p.console()
	if in == nil || out == nil {
		d.say(verdictNote, "asked", "Run doctor without a pipe to have colours, widths and pictures looked at.", "input and output are not both a terminal")
		return
	}
	if w, h, err := term.GetSize(out.Fd()); err == nil {
		verdict, help := verdictOK, ""
		if w < 40 || h < 12 {
			verdict, help = verdictWarn, "The screens need 40x12."
		}
		d.say(verdict, "size", help, "%dx%d", w, h)
	}
	_, colors := terminal.Colors("auto", out, environ(env), terminal.TmuxFeatures(ctx, env))
	d.say(verdictOK, "colors", "", "%s", colors)
	answer, err := askTerminal(ctx, in, out, env)
	if err != nil {
		d.say(verdictNote, "asked", "", "%v", err)
		return
	}
	if answer.ground != nil {
		shade := "light"
		if (tea.BackgroundColorMsg{Color: answer.ground}).IsDark() {
			shade = "dark"
		}
		d.say(verdictOK, "background", "", "%s", shade)
	} else {
		d.say(verdictNote, "background", "Set theme to dark or light in the settings if the colours do not suit.", "not told: dark is assumed")
	}
	for _, l := range answer.abilities.Findings.Lines() {
		d.say(verdictOK, strings.ToLower(l.Label), "", "%s", l.Value)
	}
	d.sayWidths(answer.widths)
	for _, t := range media.Tools() {
		if t.Path == "" {
			d.say(verdictNote, t.Program, "", "not installed; it would show %s", t.Makes)
			continue
		}
		d.say(verdictOK, t.Program, "", "shows %s", t.Makes)
	}
}

func (d *doctor) sayWidths(measured []int) {
	for i, w := range widths {
		ours := ansi.StringWidth(w.text)
		switch got := measured[i]; {
		case got < 0:
			d.say(verdictNote, "width: "+w.name, "", "not told; %s is drawn as %d columns", w.text, ours)
		case got == ours || w.name == "ambiguous" && got == ansi.StringWidthWc(w.text):
			d.say(verdictOK, "width: "+w.name, "", "%s has %d columns, as it is drawn", w.text, got)
		case w.name == "ambiguous":
			d.say(verdictNote, "width: "+w.name, "", "%s has %d columns: this terminal is set up for East Asian text, which our signs allow for", w.text, got)
		default:
			d.say(verdictWarn, "width: "+w.name, "Names with such letters can shift what stands behind them in their line.", "%s has %d columns in this terminal, and %d are counted", w.text, got, ours)
		}
	}
}

// console is the terminal to ask; nil where input or output is none.
func (p *Program) console() (in, out *os.File) {
	in, _ = p.Stdin.(*os.File)
	if in == nil || !term.IsTerminal(in.Fd()) {
		return nil, nil
	}
	for _, w := range []any{p.Stdout, p.Stderr} {
		if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) {
			return in, f
		}
	}
	return in, nil
}

func environ(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TMUX", "STY", "TERM_PROGRAM", "WT_SESSION", "ConEmuANSI"} {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

var cursorReply = regexp.MustCompile(`\x1b\[(\d+);(\d+)R`)

// askTerminal writes the questions to the terminal and reads the answers. The
// line that the cursor is in is used for measuring and left empty.
func askTerminal(ctx context.Context, in, out *os.File, getenv func(string) string) (a terminalAnswer, err error) {
	detector := picture.NewDetector(picture.SettingAuto, getenv, true)
	questions := detector.Query()
	if questions == "" {
		return a, fmt.Errorf("not asked: %s", detector.Abilities().Findings.State)
	}
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return a, fmt.Errorf("the terminal cannot be asked: %w", err)
	}
	defer term.Restore(in.Fd(), before) //nolint:errcheck // there is nothing more to try

	// The last question is one that every terminal answers: DA1.
	var q strings.Builder
	for _, w := range widths {
		q.WriteString("\r" + ansi.EraseEntireLine + w.text + ansi.RequestCursorPositionReport)
	}
	q.WriteString("\r" + ansi.EraseEntireLine + ansi.RequestBackgroundColor + ansi.RequestPrimaryDeviceAttributes)
	reply, err := converse(ctx, in, out, q.String(), detector.Patience(), 1)
	if err != nil {
		return a, err
	}
	a.widths = columns(reply)
	for _, event := range events(reply) {
		if ground, ok := event.(uv.BackgroundColorEvent); ok {
			a.ground = ground.Color
		}
	}

	reply, err = converse(ctx, in, out, questions, detector.Patience(), 1)
	if err != nil {
		return a, err
	}
	for _, event := range events(reply) {
		detector.Update(event)
	}
	detector.Update(picture.MeasureWindow(out))
	detector.TimedOut()
	a.abilities = detector.Abilities()
	return a, nil
}

// columns are the widths that the cursor reports tell. Where their number is
// not that of the texts nobody can tell which is which.
func columns(reply []byte) []int {
	found := cursorReply.FindAllSubmatch(reply, -1)
	list := make([]int, len(widths))
	for i := range list {
		list[i] = -1
		if len(found) != len(widths) {
			continue
		}
		if n, err := strconv.Atoi(string(found[i][2])); err == nil {
			list[i] = n - 1
		}
	}
	return list
}

// events reads the terminal's answers.
func events(reply []byte) []uv.Event {
	var list []uv.Event
	var decoder uv.EventDecoder
	for len(reply) > 0 {
		n, event := decoder.Decode(reply)
		if n <= 0 {
			break
		}
		reply = reply[n:]
		if event != nil {
			list = append(list, event)
		}
	}
	return list
}

var attributes = regexp.MustCompile(`\x1b\[\?[0-9;]*c`)

// converse writes questions and reads until the terminal has answered the last
// one, or its patience is over.
func converse(ctx context.Context, in, out *os.File, questions string, patience time.Duration, fences int) ([]byte, error) {
	if _, err := out.WriteString(questions); err != nil {
		return nil, fmt.Errorf("the terminal cannot be asked: %w", err)
	}
	var reply bytes.Buffer
	limit := time.Now().Add(patience)
	for len(attributes.FindAll(reply.Bytes(), -1)) < fences && ctx.Err() == nil {
		more, err := terminal.ReadWithin(in, time.Until(limit))
		if err != nil {
			return nil, fmt.Errorf("the terminal's answers cannot be read: %w", err)
		}
		if len(more) == 0 {
			break
		}
		reply.Write(more)
	}
	return reply.Bytes(), nil
}
