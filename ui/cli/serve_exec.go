package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/config"
)

// urlVariable passes the address to the command of --exec.
const urlVariable = "MEDIADESK_URL"

// publicKeyVariable passes the public key, for uploads from web pages.
const publicKeyVariable = "MEDIADESK_PUBLIC_KEY"

// sdkVariables are read by the official SDKs.
const (
	sdkURLVariable = "IMAGE_KIT_BASE_URL"
	sdkKeyVariable = "IMAGEKIT_PRIVATE_KEY"
)

// execGrace is how long a command may take to end.
const execGrace = 5 * time.Second

// runCommand runs the command of --exec and returns its exit code as an error, nil for 0. When ctx
// ends, it ends the command and its children.
func (s *serveFlags) runCommand(ctx context.Context, p *Program, address string, key config.Secret) error {
	cmd, begin, err := shellCommand(ctx, s.exec)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, config.DatabaseVariable+"=") }),
		urlVariable+"="+address, api.KeyVariable+"="+key.Reveal(), publicKeyVariable+"="+local.PublicKey(key),
		sdkURLVariable+"="+address, sdkKeyVariable+"="+key.Reveal())
	// On a terminal the command stays in our process group to read keys and get ctrl+c.
	in, ok := p.Stdin.(*os.File)
	group := !ok || !term.IsTerminal(in.Fd())
	if group {
		ownGroup(cmd)
	}
	cmd.Cancel = func() error { return endProcess(cmd.Process.Pid, group, false) }
	cmd.WaitDelay = execGrace
	if err := cmd.Start(); err != nil {
		begin()
		return fmt.Errorf("run %q: %w", s.exec, err)
	}
	s.cleaner.watch(cmd.Process.Pid, group)
	begin()
	err = cmd.Wait()
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

// removeWhenAlone is the hidden flag for starting the cleaner.
const removeWhenAlone = "remove-when-alone"

// ephemeralPrefix is the prefix of temporary folders.
const ephemeralPrefix = "mediadesk-serve-"

// noFolder means no folder to remove.
const noFolder = "-"

// A cleaner is a process that outlives this one, even if killed, to end the command of --exec and
// remove the temporary folder.
type cleaner struct {
	dir  string // temporary folder; may be empty
	pipe io.WriteCloser
	cmd  *exec.Cmd
}

// startCleaner starts a cleaner, optionally with a new temporary folder.
func startCleaner(folder bool) (*cleaner, error) {
	c := &cleaner{}
	if folder {
		var err error
		if c.dir, err = os.MkdirTemp("", ephemeralPrefix); err != nil {
			return nil, err
		}
	}
	err := c.start()
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("start the process that cleans up: %w", err)
	}
	return c, nil
}

func (c *cleaner) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	argument := noFolder
	if c.dir != "" {
		argument = c.dir
	}
	cmd := exec.Command(self, "serve", "--"+removeWhenAlone, argument)
	ownSession(cmd) // so that signals to our group do not reach it
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd, c.pipe = cmd, pipe
	return nil
}

// watch makes the cleaner end the process, or its group, unless stop is called.
func (c *cleaner) watch(pid int, group bool) {
	fmt.Fprintln(c.pipe, pid, group)
}

// stop removes the folder and waits for the cleaner to end.
func (c *cleaner) stop() {
	if c.cmd != nil {
		fmt.Fprintln(c.pipe, "done")
		c.pipe.Close()
		_ = c.cmd.Wait()
	}
	if c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
}

// cleanUp is the main function of a cleaner. When its starter has ended, it ends the given process
// and removes dir.
func cleanUp(in io.Reader, dir string) error {
	if dir != noFolder && (!strings.HasPrefix(filepath.Base(dir), ephemeralPrefix) || !filepath.IsAbs(dir)) {
		return usage("--%s is for internal use", removeWhenAlone)
	}
	var pid int
	var group bool
	for lines := bufio.NewScanner(in); lines.Scan(); {
		number, kind, _ := strings.Cut(lines.Text(), " ")
		pid, _ = strconv.Atoi(number) // "done" for none
		group = kind == "true"
	}
	if pid > 1 {
		_ = endProcess(pid, group, true)
	}
	if dir == noFolder {
		return nil
	}
	return os.RemoveAll(dir)
}
