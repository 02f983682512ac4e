package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/config"
	"mediadesk/ui/text"
)

const helpWidth = 80

// Places beside a flag in fang's help: the indent of a row, and the gap between its columns.
const helpIndent, helpGap = 4, 2

// runCommand executes root with help and version by fang. Errors are reported by [Main].
func (p *Program) runCommand(ctx context.Context, root *cobra.Command) error {
	return fang.Execute(ctx, root, fang.WithVersion(p.Version),
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
	width, _, _ := term.GetSize(os.Stdout.Fd()) // 0 if unknown
	width = min(cmp.Or(width, helpWidth), helpWidth)
	hidden := ""
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		f.Hidden, hidden = true, "\n\nGlobal flags: mediadesk --help"
	})
	paragraphs := strings.Split(cmp.Or(c.Long, c.Short+".")+hidden, "\n\n")
	fit := func(paragraph string) string { return wrap(paragraph, width-helpIndent) }
	c.Long = strings.Join(rule.Mapped(paragraphs, fit), "\n\n")
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

// escapeManual changes the texts of all commands for fang's manual page, which takes them as formats
// and knows no ellipsis in some locales.
func escapeManual(c *cobra.Command) {
	escape := strings.NewReplacer("%", "%%", "`", "", "…", "...")
	c.Use, c.Short, c.Long = escape.Replace(c.Use), escape.Replace(c.Short), escape.Replace(c.Long)
	for _, f := range append(visibleFlags(c.Flags()), visibleFlags(c.PersistentFlags())...) {
		f.Usage = escape.Replace(f.Usage) + text.If(f.Shorthand != "", "; short: -"+f.Shorthand)
		f.Shorthand = "" // it would get two dashes
	}
	for _, sub := range c.Commands() {
		escapeManual(sub)
	}
}

func (p *Program) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	c, _ := config.Load(p.Paths) // the local profile, at least
	return c.Names(), cobra.ShellCompDirectiveNoFileComp
}

func (p *Program) completeFlags(cmd *cobra.Command) {
	for _, f := range append(visibleFlags(cmd.LocalFlags()), visibleFlags(cmd.PersistentFlags())...) {
		complete := cobra.NoFileCompletions
		switch name, _ := valueName(f); name {
		case "FILE", "DIR":
			continue // shells complete local files themselves
		case "PROFILE":
			complete = p.completeProfiles
		}
		at := slices.IndexFunc(entry.Fields, func(field *entry.Field) bool { return field.Flag == f.Name })
		if at >= 0 && len(entry.Fields[at].Choices) > 0 {
			options := rule.Mapped(entry.Fields[at].Choices, func(c entry.Choice) string { return c.Text })
			complete = cobra.FixedCompletions(options, cobra.ShellCompDirectiveNoFileComp)
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
	}
}
