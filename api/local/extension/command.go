package extension

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

type limits struct {
	time   time.Duration
	output int // bytes of its picture
}

var usualLimits = limits{time: 60 * time.Second, output: 256 << 20}

// runCommand passes the picture to a user's command and returns its output. It uses no shell and
// removes the variables named MEDIADESK_* from the environment. If the command is stopped early, its
// child processes are killed, too, except on Windows.
func runCommand(ctx context.Context, command []string, in Input, most limits) (Output, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, most.time, fmt.Errorf("it took longer than %g seconds", most.time.Seconds()))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	alone(cmd)
	cmd.WaitDelay = time.Second
	cmd.Env = safeEnvironment(os.Environ())
	cmd.Stdin = io.NewSectionReader(in.Content, 0, in.Size)
	picture := &cappedBuffer{most: most.output, full: func() { stop(fmt.Errorf("it wrote more than %d bytes", most.output)) }}
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
	var retained []string
	for _, entry := range all {
		if !strings.HasPrefix(strings.ToUpper(entry), "MEDIADESK_") {
			retained = append(retained, entry)
		}
	}
	return retained
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
