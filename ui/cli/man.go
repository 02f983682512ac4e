package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
)

// exitWords say what each exit code means.
var exitWords = []struct {
	code int
	text string
}{
	{exitDone, "done"},
	{exitFailed, "refused or failed"},
	{exitUsage, "wrong usage"},
	{exitKey, "no private key, or the keyring does not give it"},
	{exitUnclear, "outcome unknown, or still pending"},
	{exitInterrupted, "ended by ctrl+c at a question"},
}

// variables are those of the environment.
var variables = [][2]string{
	{api.KeyVariable, "the private key, where no other source of the profile has one"},
	{"MEDIADESK_HOME", "one folder for settings, journal, library and log, instead of the usual ones"},
	{"MEDIADESK_ACCESSIBLE", "set to 1: prompts and sentences instead of screens, as --accessible"},
	{"NO_COLOR", "set: no colours"},
	{"CREDENTIALS_DIRECTORY", "folder of systemd with a credential mediadesk-PROFILE"},
	{"HTTPS_PROXY", "proxy for https, where one is needed"},
}

func newMan(p *Program) *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Long:    "Print the manual page, made of the same definitions as this help.",
		Example: "mediadesk man | man -l -\nmediadesk man > ~/.local/share/man/man1/mediadesk.1",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return writeMan(p.Stdout, cmd.Root()) },
	}
}

// writeMan writes the manual page of a command and all below it.
func writeMan(w io.Writer, root *cobra.Command) error {
	var m manual
	m.line(`.TH MEDIADESK 1`)
	m.section("Name")
	m.text(root.Name() + " - " + lower(root.Short))
	m.section("Synopsis")
	m.text(`\fBmediadesk\fP [FILE... | FOLDER]`)
	m.line(".br")
	m.text(`\fBmediadesk\fP COMMAND [ARGUMENT...] [FLAG...]`)
	m.section("Description")
	m.paragraphs(root.Long)
	m.section("Flags of every command")
	m.flags(root.PersistentFlags())
	m.section("Commands")
	m.commands(root)
	m.section("Exit codes")
	for _, e := range exitWords {
		m.tagged(fmt.Sprint(e.code), e.text)
	}
	m.section("Environment")
	for _, v := range variables {
		m.tagged(v[0], v[1])
	}
	m.section("Files")
	for _, f := range [][2]string{
		{"$XDG_CONFIG_HOME/mediadesk/config.toml", "your settings; the program never writes this file"},
		{"$XDG_DATA_HOME/mediadesk/state.toml", "profiles and choices that screens and commands keep; config.toml overrides them"},
		{"$XDG_DATA_HOME/mediadesk/", "the journal and the local library"},
		{"$XDG_STATE_HOME/mediadesk/mediadesk.log", "the log, without secrets"},
		{"$XDG_CACHE_HOME/mediadesk/", "what can be fetched again"},
	} {
		m.tagged(f[0], f[1])
	}
	m.section("Examples")
	m.example(root.Example)
	_, err := io.WriteString(w, m.b.String())
	return err
}

// manual writes troff.
type manual struct{ b strings.Builder }

func (m *manual) line(s string) { m.b.WriteString(s + "\n") }

func (m *manual) section(name string) { m.line(".SH " + strings.ToUpper(name)) }

// text writes a line that may have fonts in it.
func (m *manual) text(s string) {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	m.line(s)
}

// plain takes the meaning out of what troff would read as a command.
func plain(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(s)
}

func (m *manual) paragraphs(text string) {
	for i, part := range strings.Split(text, "\n\n") {
		if i > 0 {
			m.line(".PP")
		}
		for _, line := range strings.Split(part, "\n") {
			m.text(plain(line))
		}
	}
}

func (m *manual) tagged(tag, text string) {
	m.line(".TP")
	m.text(`\fB` + plain(tag) + `\fP`)
	m.text(plain(text))
}

func (m *manual) example(text string) {
	m.line(".nf")
	for _, line := range strings.Split(text, "\n") {
		m.text(plain(line))
	}
	m.line(".fi")
}

func (m *manual) flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + f.Name
		if value, _ := pflag.UnquoteUsage(f); value != "" {
			name += " " + value
		}
		m.tagged(name, f.Usage)
	})
}

func (m *manual) commands(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if c.Runnable() && !c.HasSubCommands() {
			m.line(".SS " + plain(strings.TrimPrefix(c.UseLine(), "mediadesk ")))
			m.paragraphs(first(c.Long, c.Short))
			m.flags(c.LocalNonPersistentFlags())
			if c.Example != "" {
				m.line(".PP")
				m.example(c.Example)
			}
		}
		m.commands(c)
	}
}

// lower begins words with a small letter.
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
