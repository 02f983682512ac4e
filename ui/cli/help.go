package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/mango"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
	"mediadesk/ui/text"
)

const helpWidth = 80

// Places beside a flag in fang's help: the indent of a row, and the gap between its columns.
const helpIndent, helpGap = 4, 2

// runCommand executes root with help and version by fang. Errors are reported by [Main].
func (p *Program) runCommand(ctx context.Context, root *cobra.Command) error {
	return fang.Execute(ctx, root, fang.WithoutManpage(), fang.WithVersion(p.Version),
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}),
		fang.WithColorSchemeFunc(func(c lipgloss.LightDarkFunc) fang.ColorScheme {
			if !p.described { // fang asks for the colors before it writes help
				describeFlags(root)
			}
			return fang.AnsiColorScheme(c)
		}))
}

// describeFlags changes a command for its help: flags get the names of their values, texts are
// wrapped, and global flags are left to the help of the program. The command cannot run afterwards.
func describeFlags(c *cobra.Command) {
	width := helpWidth
	if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil && w > 0 {
		width = min(w, width)
	}
	hidden := ""
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { f.Hidden, hidden = true, "\n\nGlobal flags: mediadesk --help" })
	var paragraphs []string
	for paragraph := range strings.SplitSeq(cmp.Or(c.Long, c.Short+".")+hidden, "\n\n") {
		paragraphs = append(paragraphs, wrap(paragraph, width-helpIndent))
	}
	c.Long = strings.Join(paragraphs, "\n\n")
	column := 0
	for _, f := range visibleFlags(c.Flags()) {
		name, usage := valueName(f)
		if f.Usage = usage; c.HasParent() { // cobra looks for global flags by their names
			f.Name = strings.TrimSpace(f.Name + " " + name)
		}
		if f.Value.Type() != "string" || f.DefValue != "." {
			f.DefValue = "" // the text has it, in words
		}
		column = max(column, text.Width(f.Name)+2+3*len(f.Shorthand))
	}
	for _, sub := range c.Commands() {
		sub.Use = sub.Name()
		column = max(column, text.Width(sub.Use+" [command] [--flags]"))
	}
	room := max(20, width-column-helpIndent-helpGap)
	for _, f := range visibleFlags(c.Flags()) {
		f.Usage = wrap(f.Usage, room)
	}
	for _, sub := range c.Commands() {
		sub.Short = wrap(sub.Short, room)
	}
}

// flagName returns a flag as shown in help, such as "-p, --profile PROFILE".
func flagName(f *pflag.Flag) string {
	name, _ := valueName(f)
	return strings.TrimSpace(text.If(f.Shorthand != "", "-"+f.Shorthand+", ") + "--" + f.Name + " " + name)
}

// valueName returns the name of a flag's value and what the flag does. The usage of a flag with a
// value is written "`NAME`: what it does".
func valueName(f *pflag.Flag) (name, usage string) {
	name, usage = pflag.UnquoteUsage(f)
	if f.NoOptDefVal != "" { // a switch
		return "", usage
	}
	return name, strings.TrimPrefix(usage, name+": ")
}

// visibleFlags returns the flags to show in help, in order.
func visibleFlags(set *pflag.FlagSet) []*pflag.Flag {
	var list []*pflag.Flag
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			list = append(list, f)
		}
	})
	return list
}

// wrap breaks text at blanks into lines of at most width columns, never inside a word, so that
// flags can be copied.
func wrap(words string, width int) string {
	var lines []string
	for word := range strings.FieldsSeq(words) {
		last := len(lines) - 1
		if last >= 0 && text.Width(lines[last])+1+text.Width(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}

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

// manualSections are the sections of the manual page beside what the commands say of themselves. A
// line is a paragraph.
var manualSections = [][2]string{
	{"Environment", api.KeyVariable + ": the private key, if no other source of the profile has one\n" +
		"MEDIADESK_HOME: one folder for settings, journal, library and log, instead of the usual ones\n" +
		"MEDIADESK_ACCESSIBLE: set to 1 for prompts and sentences instead of screens, as --accessible\n" +
		"NO_COLOR: set for no colors\n" +
		"CREDENTIALS_DIRECTORY: folder of systemd with a credential mediadesk-PROFILE\n" +
		"HTTPS_PROXY: proxy for https"},
	{"Files", "$XDG_CONFIG_HOME/mediadesk/config.toml: your settings; the program never writes this file\n" +
		"$XDG_DATA_HOME/mediadesk/state.json: profiles and choices of screens and commands; config.toml overrides them\n" +
		"$XDG_DATA_HOME/mediadesk/: the journal and the local library\n" +
		"$XDG_STATE_HOME/mediadesk/mediadesk.log: the log, without secrets\n" +
		"$XDG_CACHE_HOME/mediadesk/: copies that can be fetched again"},
}

func newMan(p *Program) *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long:  "Print the manual page, for example to install it. It has the help of all commands.",
		Example: "mediadesk man | man -l -\nmediadesk man > mediadesk.1\n" +
			"mediadesk man | gzip > mediadesk.1.gz",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(p.Stdout, manual(cmd.Root()))
			return err
		},
	}
}

func manual(root *cobra.Command) string {
	safe := func(words string) string { return strings.ReplaceAll(words, "%", "%%") } // roff takes texts as formats
	page := mango.NewManPage(1, root.Name(), "manage images in a media library").WithLongDescription(root.Long)
	var fill func(c *cobra.Command, into *mango.Command)
	fill = func(c *cobra.Command, into *mango.Command) {
		for _, f := range visibleFlags(c.LocalFlags()) {
			_, usage := valueName(f)
			_ = into.AddFlag(mango.Flag{Name: strings.TrimPrefix(safe(flagName(f)), "-"), Usage: safe(usage)}) // mango adds one dash
		}
		for _, sub := range c.Commands() {
			_, use, _ := strings.Cut(sub.Use, sub.Name())
			command := mango.NewCommand(sub.Name(), safe(cmp.Or(sub.Long, sub.Short)), use)
			_ = into.AddCommand(command)
			fill(sub, command)
		}
	}
	fill(root, &page.Root)
	codes := ""
	for _, e := range exitTexts {
		codes += fmt.Sprintf("%d: %s\n", e.code, e.text)
	}
	page.WithSection("Exit codes", strings.TrimSpace(codes))
	for _, s := range manualSections {
		page.WithSection(s[0], s[1])
	}
	return strings.ReplaceAll(page.WithSection("Examples", root.Example).Build(roff.NewDocument()), "…", "...") // for any locale
}
