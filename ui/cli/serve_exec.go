package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/config"
)

const urlVariable = "MEDIADESK_URL"

// publicKeyVariable passes the public key, for uploads from web pages.
const publicKeyVariable = "MEDIADESK_PUBLIC_KEY"

// runCommand runs the command of --exec and returns its exit code as an error, nil for 0. When ctx
// ends, it ends the command and its children.
func (s *serveFlags) runCommand(ctx context.Context, p *Program, address string, key config.Secret) error {
	cmd := shellCommand(ctx, s.exec)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Env = append(os.Environ(), urlVariable+"="+address, api.KeyVariable+"="+key.Reveal(), publicKeyVariable+"="+local.PublicKey(key),
		"IMAGE_KIT_BASE_URL="+address, "IMAGEKIT_PRIVATE_KEY="+key.Reveal()) // which the official SDKs read
	// On a terminal the command stays in our process group to read keys and get ctrl+c.
	in, ok := p.Stdin.(*os.File)
	group := !ok || !term.IsTerminal(in.Fd())
	if group {
		newGroup(cmd)
	}
	cmd.Cancel = func() error { return endProcess(cmd.Process.Pid, group, false) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %q: %w", s.exec, err)
	}
	err := cmd.Wait()
	if group {
		_ = endProcess(cmd.Process.Pid, true, true) // end remaining children
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	code := exit.ExitCode()
	if code < 0 {
		code = exitFailed
		if n, ok := endedBy(exit.ProcessState); ok {
			code = 128 + n
		}
	}
	return &exitError{code, nil}
}
