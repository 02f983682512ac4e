package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"mediadesk/config"
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

// TestHelp: the help of each command fits 80 columns, shows its examples as they are, and names the
// value of each flag that takes one.
func TestHelp(t *testing.T) {
	for _, c := range allCommands(newRoot(&Program{Getenv: os.Getenv})) {
		path := strings.Fields(c.CommandPath())[1:]
		if len(path) > 0 && path[0] == "completion" || c.Name() == "help" {
			continue
		}
		var out bytes.Buffer
		p := &Program{
			Getenv: os.Getenv, Stdout: &out, Stderr: &out, Log: config.NewLog(t.TempDir()+"/log", nil),
		}
		must(t, p.execute(t.Context(), append(path, "--help")))
		help := ansi.Strip(out.String())
		for line := range strings.Lines(help) {
			if line = strings.TrimRight(line, " \n"); text.Width(line) > helpWidth {
				t.Errorf("%s: %d columns: %q", c.CommandPath(), text.Width(line), line)
			}
		}
		if n := strings.Count(c.Example, "mediadesk "); n < 3 && !c.HasSubCommands() {
			t.Errorf("%s has %d examples, want 3", c.CommandPath(), n)
		}
		for line := range strings.SplitSeq(c.Example, "\n") {
			if !strings.Contains(help, strings.Join(strings.Fields(line), " ")) {
				t.Errorf("%s does not show its example %q", c.CommandPath(), line)
			}
		}
		for _, f := range visibleFlags(c.LocalNonPersistentFlags()) {
			if name, _ := valueName(f); f.NoOptDefVal == "" && name != strings.ToUpper(name) {
				t.Errorf("%s --%s has no name for its value", c.CommandPath(), f.Name)
			}
		}
	}
}
