package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
)

// exitTexts describes the exit codes.
var exitTexts = []struct {
	code int
	text string
}{
	{exitDone, "done"},
	{exitFailed, "refused or failed"},
	{exitUsage, "wrong usage"},
	{exitKey, "no private key, or a key that is not accepted"},
	{exitUnknown, "outcome unknown, or still pending"},
	{exitInterrupted, "ended by ctrl+c (128 plus the number of the signal)"},
}

// variables and files list the environment variables and files of the program.
var (
	variables = [][2]string{
		{api.KeyVariable, "the private key, if no other source of the profile has one"},
		{"MEDIADESK_HOME", "one folder for settings, journal, library and log, instead of the usual ones"},
		{"MEDIADESK_ACCESSIBLE", "set to 1: prompts and sentences instead of screens, as --accessible"},
		{"NO_COLOR", "set: no colors"},
		{"CREDENTIALS_DIRECTORY", "folder of systemd with a credential mediadesk-PROFILE"},
		{"HTTPS_PROXY", "proxy for https"},
	}
	files = [][2]string{
		{"$XDG_CONFIG_HOME/mediadesk/config.toml", "your settings; the program never writes this file"},
		{"$XDG_DATA_HOME/mediadesk/state.json", "profiles and choices of screens and commands; config.toml overrides them"},
		{"$XDG_DATA_HOME/mediadesk/", "the journal and the local library"},
		{"$XDG_STATE_HOME/mediadesk/mediadesk.log", "the log, without secrets"},
		{"$XDG_CACHE_HOME/mediadesk/", "copies that can be fetched again"},
	}
)

func newMan(p *Program) *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Long:    "Print the manual page. It is made from the same definitions as this help.",
		Example: "mediadesk man | man -l -\nmediadesk man > ~/.local/share/man/man1/mediadesk.1",
		RunE:    func(cmd *cobra.Command, _ []string) error { return writeMan(p.Stdout, cmd.Root()) },
	}
}

// writeMan writes the manual page of a command and its subcommands.
func writeMan(w io.Writer, root *cobra.Command) error {
	var m manual
	m.line(".TH MEDIADESK 1")
	m.section("Name", root.Name()+" - "+strings.ToLower(root.Short[:1])+root.Short[1:])
	m.line(".SH SYNOPSIS\n\\fBmediadesk\\fP [FILE... | FOLDER]\n.br\n\\fBmediadesk\\fP COMMAND [ARGUMENT...] [FLAG...]")
	m.section("Description", root.Long)
	m.section("Global flags", "")
	m.flags(root.PersistentFlags())
	m.section("Commands", "")
	m.commands(root)
	m.section("Exit codes", "")
	for _, e := range exitTexts {
		m.tagged(fmt.Sprint(e.code), e.text)
	}
	m.section("Environment", "")
	for _, v := range variables {
		m.tagged(v[0], v[1])
	}
	m.section("Files", "")
	for _, f := range files {
		m.tagged(f[0], f[1])
	}
	m.section("Examples", "")
	m.example(root.Example)
	_, err := m.WriteTo(w)
	return err
}

// manual is a page in troff.
type manual struct{ bytes.Buffer }

func (m *manual) line(s string) { m.WriteString(s + "\n") }

// troff escapes text for troff.
var troff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...")

// text writes escaped text in lines of at most 80 columns.
func (m *manual) text(words string) {
	for _, line := range wrap(troff.Replace(words), helpWidth) {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		m.line(line)
	}
}

func (m *manual) section(name, words string) {
	m.line(".SH " + strings.ToUpper(name))
	m.paragraphs(words)
}

func (m *manual) paragraphs(words string) {
	for i, paragraph := range strings.Split(words, "\n\n") {
		if i > 0 {
			m.line(".PP")
		}
		m.text(paragraph)
	}
}

func (m *manual) tagged(tag, words string) {
	m.line(".TP\n.B")
	m.text(tag)
	m.text(words)
}

func (m *manual) example(lines string) {
	m.line(".nf")
	for line := range strings.SplitSeq(lines, "\n") {
		m.text(line)
	}
	m.line(".fi")
}

func (m *manual) flags(set *pflag.FlagSet) {
	for _, f := range visibleFlags(set) {
		m.tagged(flagName(f), f.Usage)
	}
}

func (m *manual) commands(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() && !c.HasSubCommands() {
			m.line(".SS \"" + troff.Replace(strings.TrimPrefix(c.UseLine(), "mediadesk ")) + "\"")
			m.paragraphs(cmp.Or(c.Long, c.Short+"."))
			m.flags(c.LocalNonPersistentFlags())
			if c.Example != "" {
				m.line(".PP")
				m.example(c.Example)
			}
		}
		m.commands(c)
	}
}
