package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/ui/text"
)

// allCommands returns root and all commands below it.
func allCommands(root *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{root}
	for _, c := range root.Commands() {
		list = append(list, allCommands(c)...)
	}
	return list
}

// TestHelpFits: at 80 and 60 columns no line of help is too wide, no word is broken, every default
// is explained, and every command with flags has examples.
func TestHelpFits(t *testing.T) {
	root := newRoot(&Program{Getenv: os.Getenv})
	for _, c := range allCommands(root) {
		if !c.IsAvailableCommand() && c.HasParent() {
			continue
		}
		known := map[string]bool{}
		know := func(words string) {
			for word := range strings.FieldsSeq(words) {
				known[word] = true
			}
		}
		know("Usage Commands Examples Flags Global flags mediadesk --help explains them.")
		for _, words := range []string{c.Long, c.Short + ".", c.UseLine(), c.Example, c.CommandPath() + " COMMAND [flags]"} {
			know(words)
		}
		for _, sub := range c.Commands() {
			know(sub.Name() + " " + sub.Short)
		}
		for _, set := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
			for _, f := range visibleFlags(set) {
				know(flagName(f) + " " + flagName(f) + "; " + f.Usage)
				if strings.Contains(f.Usage, "(-1)") || strings.Contains(f.Usage, "0s") {
					t.Errorf("%s --%s: %s", c.CommandPath(), f.Name, f.Usage)
				}
			}
		}
		for _, width := range []int{80, 60} {
			var b bytes.Buffer
			writeHelp(&b, c, width)
			page := ansi.Strip(b.String())
			for line := range strings.Lines(page) {
				line = strings.TrimRight(line, "\n")
				example := strings.Contains(c.Example, strings.TrimSpace(line))
				if w := text.Width(line); w > 80 || w > width && !example {
					t.Errorf("%s, %d columns: %d: %q", c.CommandPath(), width, w, line)
				}
				for word := range strings.FieldsSeq(line) {
					if !known[word] {
						t.Errorf("%s, %d columns: %q is not a word of its texts: %q", c.CommandPath(), width, word, line)
					}
				}
			}
			if c.Runnable() && c.HasParent() && c.Parent().Name() != "completion" && c.Name() != "help" && !strings.Contains(page, "\nExamples\n") {
				t.Errorf("%s has no examples", c.CommandPath())
			}
		}
	}
}

// TestManFits: the lines of the manual page have at most 80 columns, and it has every command.
func TestManFits(t *testing.T) {
	root := newRoot(&Program{Getenv: os.Getenv})
	var b bytes.Buffer
	if err := writeMan(&b, root); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		// The escape for a point at the start of a line has no width.
		if w := text.Width(strings.TrimPrefix(strings.TrimRight(line, "\n"), `\&`)); w > 80 {
			t.Errorf("%d columns: %q", w, line)
		}
	}
	for _, c := range allCommands(root) {
		if c.Runnable() && !c.HasSubCommands() && c.IsAvailableCommand() && !strings.Contains(b.String(), ".SS \""+strings.TrimPrefix(c.CommandPath(), "mediadesk ")) {
			t.Errorf("the manual page does not have %s", c.CommandPath())
		}
	}
}

// TestValueNames: each value name belongs to a flag.
func TestValueNames(t *testing.T) {
	flags := map[string]bool{}
	for _, c := range allCommands(newRoot(&Program{Getenv: os.Getenv})) {
		for _, f := range append(visibleFlags(c.LocalFlags()), visibleFlags(c.PersistentFlags())...) {
			flags[f.Name] = true
			if strings.HasSuffix(flagName(f), " FILE") && !strings.Contains(f.Usage, "file") {
				t.Errorf("%s --%s has no name for its value: %s", c.CommandPath(), f.Name, f.Usage)
			}
		}
	}
	for _, names := range valueNames {
		for name := range strings.FieldsSeq(names) {
			if !flags[name] {
				t.Errorf("no command has --%s", name)
			}
		}
	}
}
