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

// urlVariable is the variable in which a command of --exec finds the address.
const urlVariable = "MEDIADESK_URL"

// publicKeyVariable has the public key, for uploads of web pages.
const publicKeyVariable = "MEDIADESK_PUBLIC_KEY"

// sdkVariables are those in which the official SDKs look for address and key.
const (
	sdkURLVariable = "IMAGE_KIT_BASE_URL"
	sdkKeyVariable = "IMAGEKIT_PRIVATE_KEY"
)

// execGrace is how long a command may take to end after it was asked to.
const execGrace = 5 * time.Second

// runCommand runs the command of --exec and returns its exit code as an error; nil
// for 0. When ctx ends, the command and what it started are ended, too.
func (s *serveFlags) runCommand(ctx context.Context, p *Program, address string, key config.Secret) error {
	cmd, begin, err := shellCommand(ctx, s.exec)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, config.DatabaseVariable+"=") }),
		urlVariable+"="+address, api.KeyVariable+"="+key.Reveal(), publicKeyVariable+"="+local.PublicKey(key),
		sdkURLVariable+"="+address, sdkKeyVariable+"="+key.Reveal())
	// On a terminal the command stays in our process group, so that it can read
	// keys and gets ctrl+c.
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
		_ = endProcess(cmd.Process.Pid, true, true) // what it left running; mostly nothing
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

// removeWhenAlone is the hidden flag with which the cleaner is started.
const removeWhenAlone = "remove-when-alone"

// ephemeralPrefix begins the names of the temporary folders.
const ephemeralPrefix = "mediadesk-serve-"

// noFolder stands for no folder on the command line of the cleaner.
const noFolder = "-"

// A cleaner is a process of its own that outlives this one by a moment: when this
// one has ended, killed or not, it ends the command of --exec and removes the
// temporary folder.
type cleaner struct {
	dir  string // the temporary folder; empty: none
	pipe io.WriteCloser
	cmd  *exec.Cmd
}

// startCleaner starts a cleaner, with a new temporary folder if wanted.
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
	ownSession(cmd) // a signal to our group must not end it
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

// watch has the process ended, or its group, if this one ends before stop.
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

// cleanUp is the work of a cleaner: it reads what to end until its starter has
// ended, then ends it and removes dir.
func cleanUp(in io.Reader, dir string) error {
	if dir != noFolder && (!strings.HasPrefix(filepath.Base(dir), ephemeralPrefix) || !filepath.IsAbs(dir)) {
		return usage("--%s is for mediadesk itself", removeWhenAlone)
	}
	var pid int
	var group bool
	for lines := bufio.NewScanner(in); lines.Scan(); {
		number, kind, _ := strings.Cut(lines.Text(), " ")
		pid, _ = strconv.Atoi(number) // "done": none
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
