package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// helpWidth is the largest width of help in columns.
const helpWidth = 80

// valueNames maps value names in help to flags. Upload fields define their own; any other value is
// a local FILE.
var valueNames = map[string]string{
	"BYTES":      "max-size max-video-size redirect-from",
	"COMMAND":    "exec",
	"DAY":        "since until",
	"EXTENSION":  "extension",
	"FORM":       "copy",
	"HOST:PORT":  "addr allow-address",
	"ID":         "hosted version",
	"KEY":        "key",
	"KIND=VALUE": "fault",
	"LINES":      "log",
	"N":          "concurrency fault-seed key-fd limit",
	"NAME":       "host profile",
	"ORDER":      "sort",
	"OPTION":     "colour-option",
	"PATH":       "data seed to",
	"PATTERN":    "exclude include",
	"PLAN":       "plan",
	"QUERY":      "search",
	"TAGS":       "add-tags remove-tags",
	"TIME":       "for retry-for timeout",
	"URL":        "base-url delivery-url copy-to database public-url storage upload-url webhook webhook-url",
	"WORD":       "key-command",
}

// valueOf is the annotation with the value name of a flag that is called like an upload field but
// differs.
const valueOf = "value"

// valueName returns the name of a flag's value.
func valueName(of *pflag.Flag) string {
	if names := of.Annotations[valueOf]; names != nil {
		return names[0]
	}
	flag := of.Name
	for _, f := range api.UploadFields {
		if f.Flag == flag && f.Value != "" {
			return f.Value
		}
	}
	for name, flags := range valueNames {
		if slices.Contains(strings.Fields(flags), flag) {
			return name
		}
	}
	return "FILE"
}

// flagName returns a flag as shown in help, such as "-p, --profile NAME".
func flagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if f.NoOptDefVal != "" { // a switch
		return name
	}
	return name + " " + valueName(f)
}

// visibleFlags returns the flags to show in help, by name.
func visibleFlags(set *pflag.FlagSet) []*pflag.Flag {
	var list []*pflag.Flag
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			list = append(list, f)
		}
	})
	return list
}

// showHelp prints the help of commands.
func (p *Program) showHelp(cmd *cobra.Command, _ []string) {
	width := helpWidth
	if out, ok := p.Stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(out.Fd()); err == nil && columns > 0 {
			width = min(width, columns)
		}
	}
	writeHelp(colorprofile.NewWriter(p.Stdout, environ(p.Getenv)), cmd, width)
}

// writeHelp writes help in sections of at most width columns. Examples may be wider, since they are
// for pasting.
func writeHelp(w io.Writer, cmd *cobra.Command, width int) {
	section := func(title string) { fmt.Fprintf(w, "\n\x1b[1m%s\x1b[m\n", title) }
	lines := func(before, words string) {
		for _, line := range wrap(words, width-len(before)) {
			fmt.Fprintln(w, before+line)
		}
	}
	// Names with texts beside them, or below a name that is too long.
	table := func(title string, rows [][2]string) {
		column := 0
		for _, row := range rows {
			column = min(max(column, text.Width(row[0])), width/3)
		}
		section(title)
		for _, row := range rows {
			name := row[0]
			if text.Width(name) > column {
				fmt.Fprintln(w, "  "+name)
				name = ""
			}
			for _, line := range wrap(row[1], width-column-4) {
				fmt.Fprintln(w, "  "+text.PadRight(name, column)+"  "+line)
				name = ""
			}
		}
	}
	for i, paragraph := range strings.Split(cmp.Or(cmd.Long, cmd.Short+"."), "\n\n") {
		if i > 0 {
			fmt.Fprintln(w)
		}
		lines("", paragraph)
	}
	section("Usage")
	lines("  ", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		if !cmd.HasParent() {
			lines("  ", cmd.CommandPath()+" COMMAND [flags]")
		}
		var rows [][2]string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				rows = append(rows, [2]string{c.Name(), c.Short})
			}
		}
		table("Commands", rows)
	}
	if cmd.Example != "" {
		section("Examples")
		fmt.Fprintln(w, "  "+strings.ReplaceAll(cmd.Example, "\n", "\n  "))
	}
	var own [][2]string
	for _, f := range visibleFlags(cmd.LocalFlags()) {
		own = append(own, [2]string{text.If(f.Shorthand == "", "    ") + flagName(f), f.Usage})
	}
	if len(own) > 0 {
		table("Flags", own)
	}
	var global []string
	for _, f := range visibleFlags(cmd.InheritedFlags()) {
		global = append(global, strings.ReplaceAll(flagName(f), " ", "\u00a0"))
	}
	if len(global) > 0 {
		section("Global flags")
		lines("  ", strings.Join(global, "; "))
		lines("  ", "mediadesk --help explains them.")
	}
}

// wrap breaks text at blanks into lines of at most width columns. It never breaks words, so that
// flags can be copied.
func wrap(words string, width int) []string {
	var lines []string
	for word := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == ' ' || r == '\n' }) {
		word = strings.ReplaceAll(word, "\u00a0", " ")
		last := len(lines) - 1
		if last >= 0 && text.Width(lines[last])+1+text.Width(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// checkHelpArgs reports an unknown command in help as wrong usage.
func checkHelpArgs(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "help" })
	root.Commands()[i].Args = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		switch {
		case err != nil:
			return usage("%s", err.Error())
		case len(rest) > 0:
			return noSuchCommand(cmd, rest[0])
		}
		return nil
	}
}
