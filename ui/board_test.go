//go:build unix

package ui_test

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"mediadesk/ui/uitest"
)

// TestKilledWhileRunning kills the program while extensions are pending. The next program and two
// watch commands get the results from posts to the dead program's addresses, or by polling.
func TestKilledWhileRunning(t *testing.T) {
	binary := uitest.Build(t)
	for _, tt := range []struct {
		name, fault, word string
		code              int
	}{
		{"the service does its work", "", "success", 0},
		{"the service fails", "extensions=fail", "failed", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const n = 4
			d, library := newWorkplace(t), t.TempDir()
			s := startService(t, binary, library, "--fault", "extensions=pending")
			env := append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey)
			account := []string{"--upload-url", s.address, "--base-url", s.address, "--delivery-url", s.address}
			command := func(args ...string) *exec.Cmd {
				cmd := exec.Command(binary, append(args, account...)...)
				cmd.Env = env
				return cmd
			}

			if out, err := command("upload", d.pictures, "--exclude", "*.txt", "--extension", "remove-bg").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			board := func() *uitest.Term {
				term := uitest.StartBinary(t, binary, account, env, 120, 36)
				term.WaitFor("1 Pick")
				term.Press("3")
				return term
			}
			term := board()
			term.WaitFor("4 pending · 0 success · 0 failed")
			term.Signal(syscall.SIGKILL)
			<-term.Done()

			// Start another program, and two watch commands beside it.
			term = board()
			term.WaitFor("4 pending · 0 success · 0 failed")
			var watches [2]*exec.Cmd
			var said [2]strings.Builder
			var rest [2]*bufio.Scanner
			for i := range watches {
				watches[i] = command("watch", "--timeout", "2m", "--json")
				out, err := watches[i].StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := watches[i].Start(); err != nil {
					t.Fatal(err)
				}
				// The command knows all runs before the first one can end.
				rest[i] = bufio.NewScanner(out)
				for range n {
					rest[i].Scan()
					said[i].WriteString(rest[i].Text() + "\n")
				}
			}
			s.end()
			flags := []string{}
			if tt.fault != "" {
				flags = []string{"--fault", tt.fault}
			}
			startServiceAt(t, strings.TrimPrefix(s.address, "http://"), binary, library, flags...)
			term.WaitFor("0 pending")
			if !strings.Contains(term.Screen(), "4 "+tt.word) {
				t.Errorf("the board:\n%s", term.Screen())
			}
			term.Press("q")
			<-term.Done()
			for i, w := range watches {
				for rest[i].Scan() {
					said[i].WriteString(rest[i].Text() + "\n")
				}
				w.Wait()
				if code := w.ProcessState.ExitCode(); code != tt.code {
					t.Errorf("watch %d: got exit code %d, want %d\n%s", i, code, tt.code, &said[i])
				}
				if got := strings.Count(said[i].String(), `"status":"`+tt.word+`"`); got != n {
					t.Errorf("watch %d reported %d ends, want %d:\n%s", i, got, n, &said[i])
				}
			}
			// The service agrees with the reports.
			out, err := command("list", "--json").Output()
			if err != nil {
				t.Fatal(err)
			}
			if done := strings.Count(string(out), `"name":"Version 2"`); done != map[string]int{"success": n}[tt.word] {
				t.Errorf("%d files have a new version:\n%s", done, out)
			}
		})
	}
}
