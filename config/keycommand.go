package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"mediadesk/api"
)

// outputDelay is how long to wait for the output of a key command after it ended: a child process
// could keep it open forever.
const outputDelay = time.Second

// runKeyCommand runs a command, given as an argument list without a shell, and returns the first
// line of its output as the key.
func runKeyCommand(ctx context.Context, args []string, timeout time.Duration) (Secret, error) {
	if !usableCommand(args) {
		return Secret{}, errors.New(`it is not an argument list such as ["pass", "show", "media"]`)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = outputDelay
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Secret{}, ctx.Err()
	case limited.Err() != nil:
		return Secret{}, fmt.Errorf("it did not end within %v: run it once by hand, it may be waiting for a password", timeout)
	case errors.Is(err, exec.ErrNotFound):
		return Secret{}, errors.New("there is no such program: check key_command in the profile")
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return Secret{}, fmt.Errorf("%w%s: run it once by hand", cause(err), excerpt(said.String()))
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return NewSecret(line)
}

// excerpt returns the first line of a command's output, made safe and shortened.
func excerpt(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	line = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, ""))
	if line == "" {
		return ""
	}
	return " (it said: " + api.Clip(line, 120) + ")"
}
