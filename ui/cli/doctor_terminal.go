package cli

import (
	"cmp"
	"context"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"mediadesk/api/media"
	"mediadesk/ui/terminal"
)

// widths are texts whose width differs between terminals.
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

// terminal reports the features of the terminal, queried if possible.
func (d *doctor) terminal(ctx context.Context) {
	env := d.p.Getenv
	d.say(verdictOK, "TERM", "", "%s", cmp.Or(env("TERM"), "not set"))
	var around []string
	for _, v := range []struct{ name, word string }{{"TMUX", "tmux"}, {"STY", "GNU screen"}, {"SSH_CONNECTION", "SSH"}, {"WSL_DISTRO_NAME", "WSL"}, {"CI", "CI"}} {
		if env(v.name) != "" {
			around = append(around, v.word)
		}
	}
	if len(around) > 0 {
		d.say(verdictOK, "inside", "", "%s", strings.Join(around, ", "))
	}
	locale := cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG"))
	if up := strings.ToUpper(locale); locale != "" && !strings.Contains(up, "UTF-8") && !strings.Contains(up, "UTF8") {
		d.say(verdictWarn, "locale", "Set LANG to a UTF-8 locale, such as C.UTF-8.", "%s is not UTF-8: letters and boxes may be garbled", locale)
	}
	in, out := d.p.console()
	if in == nil || out == nil {
		d.say(verdictNote, "queried", "Run doctor without a pipe to check colors, widths and pictures.", "input and output are not both a terminal")
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
	detector := d.p.Detector(out)
	texts := make([]string, len(widths))
	for i, w := range widths {
		texts[i] = w.text
	}
	answers, err := terminal.Query(ctx, in, out, detector, texts)
	if err != nil {
		d.say(verdictNote, "queried", "", "%v", err)
		return
	}
	if answers.Background != nil {
		shade := "light"
		if (tea.BackgroundColorMsg{Color: answers.Background}).IsDark() {
			shade = "dark"
		}
		d.say(verdictOK, "background", "", "%s", shade)
	} else {
		d.say(verdictNote, "background", "If the colors do not suit you, set theme to dark or light in the settings.", "not known: dark is assumed")
	}
	for _, line := range detector.Report() {
		d.say(verdictOK, strings.ToLower(line[0]), "", "%s", line[1])
	}
	d.sayWidths(answers.Widths)
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
			d.say(verdictNote, "width: "+w.name, "", "not known; %s is drawn as %d columns", w.text, ours)
		case got == ours || w.name == "ambiguous" && got == ansi.StringWidthWc(w.text):
			d.say(verdictOK, "width: "+w.name, "", "%s has %d columns, as expected", w.text, got)
		case w.name == "ambiguous":
			d.say(verdictNote, "width: "+w.name, "", "%s has %d columns: this terminal is set up for East Asian text, which mediadesk supports", w.text, got)
		default:
			d.say(verdictWarn, "width: "+w.name, "Text after such letters can be misaligned.", "%s has %d columns in this terminal; mediadesk expects %d", w.text, got, ours)
		}
	}
}

// console returns the terminal to query, or nil if input or output is not one.
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
