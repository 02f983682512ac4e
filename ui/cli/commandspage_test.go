package cli

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write docs/commands.md")

// TestCommandsPage: docs/commands.md has every command with its flags, and the exit codes. After a
// change run go test ./ui/cli -run TestCommandsPage -update.
func TestCommandsPage(t *testing.T) {
	const file, begin = "../../docs/commands.md", "<!-- commands, made by: go test ./ui/cli -run TestCommandsPage -update -->\n"
	text, err := os.ReadFile(file)
	must(t, err)
	before, have, found := strings.Cut(string(text), begin)
	if !found {
		t.Fatalf("%s has no marker for the commands: %q", file, begin)
	}
	root := newRoot(&Program{Getenv: os.Getenv})
	var b strings.Builder
	b.WriteString("\n## Flags of every command\n\n")
	writeFlags(&b, root.PersistentFlags())
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n|---|---|\n| 0 | done |\n| 1 | refused or failed |\n| 2 | wrong usage |\n" +
		"| 3 | no private key, or a key that is not accepted |\n| 4 | outcome unknown, or still pending |\n" +
		"| 130 | ended by ctrl+c (128 plus the number of the signal) |\n")
	writeCommands(&b, root)
	if want := b.String(); have == want {
		return
	} else if !*update {
		t.Errorf("%s differs from the commands: run go test ./ui/cli -run TestCommandsPage -update", file)
	} else if err := os.WriteFile(file, []byte(before+begin+want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeCommands(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		if c.Runnable() && !c.HasSubCommands() {
			fmt.Fprintf(b, "\n## %s\n\n```\n%s\n```\n\n%s\n", c.CommandPath(), c.UseLine(),
				cmp.Or(c.Long, c.Short+"."))
			if c.HasAvailableLocalFlags() {
				b.WriteString("\n")
				writeFlags(b, c.LocalFlags())
			}
			if c.Example != "" {
				fmt.Fprintf(b, "\n```\n%s\n```\n", c.Example)
			}
		}
		writeCommands(b, c)
	}
}

func writeFlags(b *strings.Builder, set *pflag.FlagSet) {
	b.WriteString("| flag | what it does |\n|---|---|\n")
	for _, f := range visibleFlags(set) {
		name, usage := valueName(f)
		name = strings.TrimSpace("--" + f.Name + " " + name)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.ReplaceAll(usage, "|", `\|`))
	}
}
