// Package extension implements the extensions: background removal, tagging by measurements, and a
// user's own command. Results differ from those of a provider's extension of the same name.
package extension

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// Input is the input of an extension.
type Input struct {
	Element api.Extension
	Content io.ReadSeeker
}

// Output is the result of an extension: a picture or tags.
type Output struct {
	Picture     []byte            // an encoded picture, or nil
	Orientation media.Orientation // the orientation that was applied to the pixels
	Tags        []api.AITag       // may be nil
}

// Tools holds the available extensions.
type Tools struct{ commands map[string][]string }

// New returns the tools. A command replaces the extension of its name.
func New(commands map[string][]string) *Tools { return &Tools{commands} }

// Knows reports whether an extension of that name exists.
func (t *Tools) Knows(name string) bool {
	return !t.BuiltIn(name) || name == rule.RemoveBackground || name == rule.AITasks ||
		rule.IsTagging(name)
}

// BuiltIn reports whether no command replaces the extension of that name. It does not check the name.
func (t *Tools) BuiltIn(name string) bool { return len(t.commands[name]) == 0 }

// Quick reports whether a request waits for the extension. All others start as pending.
func (t *Tools) Quick(name string) bool { return t.BuiltIn(name) && rule.IsTagging(name) }

// Run runs an extension. Its error is meant for users.
func (t *Tools) Run(ctx context.Context, in Input) (out Output, err error) {
	// A malformed picture must not crash the program.
	defer func() {
		if v := recover(); v != nil {
			out, err = Output{}, fmt.Errorf("the extension crashed: %v", v)
		}
	}()
	name := in.Element.Name
	switch {
	case len(t.commands[name]) > 0:
		return runCommand(ctx, t.commands[name], in, usualLimits)
	case name == rule.RemoveBackground:
		out, err = removeBackground(ctx, in)
	case rule.IsTagging(name), name == rule.AITasks: // from whose tags the caller answers the tasks
		out.Tags, err = findTags(ctx, in)
	default:
		err = fmt.Errorf("no extension %q in the local library", name)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("it took too long")
	case err != nil && ctx.Err() == nil:
		err = errors.New(media.Reason(err))
	}
	return out, err
}

type limits struct {
	timeout time.Duration
	output  int // bytes of its picture
}

var usualLimits = limits{timeout: 60 * time.Second, output: 256 << 20}

// runCommand passes the picture to a user's command and returns its output. It uses no shell and
// removes the variables named MEDIADESK_* from the environment. If the command is stopped early, its
// child processes are killed, too, except on Windows.
func runCommand(ctx context.Context, command []string, in Input, most limits) (Output, error) {
	late := fmt.Errorf("it took longer than %g seconds", most.timeout.Seconds())
	ctx, cancel := context.WithTimeoutCause(ctx, most.timeout, late)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	alone(cmd)
	cmd.WaitDelay = time.Second
	cmd.Env = safeEnvironment(os.Environ())
	cmd.Stdin = in.Content
	full := fmt.Errorf("it wrote more than %d bytes", most.output)
	picture := &cappedBuffer{most: most.output, full: func() { stop(full) }}
	complaint := &cappedBuffer{most: 4 << 10, full: func() {}}
	cmd.Stdout, cmd.Stderr = picture, complaint
	err := cmd.Run()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	switch {
	case err != nil:
		text := strings.TrimSpace(strings.ToValidUTF8(string(complaint.retained), "?"))
		if text != "" {
			text = ": " + text
		}
		return Output{}, fmt.Errorf("the command %q failed: %w%s", command[0], err, text)
	case len(picture.retained) == 0:
		return Output{}, fmt.Errorf("the command %q wrote no picture", command[0])
	}
	return Output{Picture: picture.retained}, nil
}

func safeEnvironment(all []string) []string {
	ours := func(entry string) bool { return strings.HasPrefix(strings.ToUpper(entry), "MEDIADESK_") }
	return slices.DeleteFunc(all, ours)
}

type cappedBuffer struct {
	retained []byte
	most     int
	full     func()
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	room := b.most - len(b.retained)
	b.retained = append(b.retained, p[:min(room, len(p))]...)
	if len(p) > room {
		b.full()
	}
	return len(p), nil
}
