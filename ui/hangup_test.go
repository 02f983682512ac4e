//go:build unix

package ui_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/xpty"

	"mediadesk/ui/uitest"
)

// TestInputEnds: if the terminal goes away without a SIGHUP, because it is not the controlling
// terminal, the program ends as with a SIGHUP.
func TestInputEnds(t *testing.T) {
	d := newWorkplace(t)
	pty, err := xpty.NewUnixPty(120, 36)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), uitest.Deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, uitest.Build(t), "--profile", "local", d.pictures)
	cmd.Env = append(d.env(), "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pty.Slave(), pty.Slave(), pty.Slave()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = pty.Slave().Close()
	var drawn []byte
	for buf := make([]byte, 4096); !bytes.Contains(drawn, []byte("harbour.jpg")); {
		n, err := pty.Master().Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, drawn)
		}
		drawn = append(drawn, buf[:n]...)
	}
	if err := pty.Master().Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGHUP) {
		t.Errorf("got %v, want the exit code of a SIGHUP", err)
	}
}

// TestEditorHasTheTerminal: an editor that the program starts gets the terminal itself, not a pipe.
func TestEditorHasTheTerminal(t *testing.T) {
	d := newWorkplace(t)
	editor, found := filepath.Join(d.home, "editor"), filepath.Join(d.home, "found")
	script := "#!/bin/sh\nif test -t 0 && test -t 1; then has=terminal; else has=pipe; fi\necho $has > " + found + "\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	term := d.startWith([]string{"EDITOR=" + editor}, 120, 36, "--profile", "local", d.pictures)
	term.WaitFor("harbour.jpg")
	term.WaitFor("Tray: nothing picked yet")
	term.WaitFor("127.0.0.1:")
	term.Press("space")
	term.WaitFor("Tray: 1 file")
	term.Press("u")
	term.WaitFor("Stored as")
	term.Press("ctrl+o")
	term.WaitUntil(func(string) bool {
		text, err := os.ReadFile(found)
		return err == nil && len(text) > 0
	})
	if text, err := os.ReadFile(found); err != nil || string(text) != "terminal\n" {
		t.Errorf("the editor got %q, %v", text, err)
	}
}
