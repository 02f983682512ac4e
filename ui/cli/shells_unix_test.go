//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mediadesk/ui/uitest"
)

// rcFiles are the startup files for the shells in this test.
var rcFiles = map[string]string{
	// The function belongs to bash-completion, which is not installed everywhere.
	"bash": `_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}; }
source /usr/share/bash-completion/bash_completion 2>/dev/null
source <(mediadesk completion bash)
PS1='ready> '
`,
	"zsh": `autoload -U compinit && compinit -u -D
source <(mediadesk completion zsh)
PS1='ready> '
`,
	"fish": `mediadesk completion fish | source
function fish_prompt; echo -n 'ready> '; end
function fish_greeting; end
`,
}

// TestShellsCompletePaths types paths of the library in real shells. Tab completes folders and then
// their contents.
func TestShellsCompletePaths(t *testing.T) {
	t.Parallel()
	for shell, rc := range rcFiles {
		t.Run(shell, func(t *testing.T) {
			requireTool(t, shell)
			env, run := terminalHome(t)
			run("upload", writeFiles(t, "harbor.txt"), "--folder", "/summer/2026/", "--unique", "off")
			dir := t.TempDir()
			file := filepath.Join(dir, "rc")
			if err := os.WriteFile(file, []byte(rc), 0o600); err != nil {
				t.Fatal(err)
			}
			env = append(env, "PATH="+filepath.Dir(uitest.Build(t))+":"+os.Getenv("PATH"), "TERM=xterm", "ZDOTDIR="+dir, "XDG_CONFIG_HOME="+dir)
			args := []string{"--noprofile", "--rcfile", file, "-i"}
			switch shell {
			case "zsh":
				if err := os.Rename(file, filepath.Join(dir, ".zshrc")); err != nil {
					t.Fatal(err)
				}
				args = []string{"-d", "-i"}
			case "fish":
				// Where this folder is missing, fish fills it in the background, and after its end.
				if err := os.MkdirAll(filepath.Join(dir, "fish", "generated_completions"), 0o700); err != nil {
					t.Fatal(err)
				}
				env = append(env, "XDG_DATA_HOME="+dir)
				args = []string{"--private", "-i", "-C", "source " + file}
			}
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Fatal(err)
			}
			term := uitest.StartBinary(t, path, args, env, 100, 30)
			term.WaitFor("ready>")
			term.Type("mediadesk details /su\t")
			term.WaitFor("mediadesk details /summer/")
			term.Type("\t")
			term.WaitFor("mediadesk details /summer/2026/")
			term.Type("ha\t")
			term.WaitFor("mediadesk details /summer/2026/harbor.txt")
			term.Type("\r")
			term.WaitFor("path               /summer/2026/harbor.txt")
			term.Type("exit\r")
			<-term.Done()
		})
	}
}
