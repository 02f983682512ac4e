package extension

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	commandTime   = 60 * time.Second
	commandOutput = 256 << 20 // bytes of a picture that is taken from a command
)

// runCommand gives the picture to a command of the user and takes another
// from it. No shell is involved, and none of our secrets are in its
// environment.
func runCommand(ctx context.Context, command []string, in Input) (Output, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandTime, errors.New("it took longer than 60 seconds"))
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Env = safeEnvironment(os.Environ())
	cmd.Stdin = io.NewSectionReader(in.Content, 0, in.Size)
	picture, complaint := &cappedBuffer{most: commandOutput}, &cappedBuffer{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = picture, complaint
	err := cmd.Run()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	switch {
	case err != nil:
		text := strings.TrimSpace(strings.ToValidUTF8(complaint.String(), "?"))
		if text != "" {
			text = ": " + text
		}
		return Output{}, fmt.Errorf("the command %q failed: %w%s", command[0], err, text)
	case picture.over:
		return Output{}, fmt.Errorf("the command %q wrote too much", command[0])
	case picture.Len() == 0:
		return Output{}, fmt.Errorf("the command %q wrote no picture", command[0])
	}
	return Output{Picture: picture.Bytes()}, nil
}

// safeEnvironment leaves out what could hold a key of ours.
func safeEnvironment(all []string) []string {
	var kept []string
	for _, entry := range all {
		if !strings.HasPrefix(strings.ToUpper(entry), "MEDIADESK_") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// cappedBuffer keeps the first bytes and counts the rest as read.
type cappedBuffer struct {
	bytes.Buffer
	most int
	over bool
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); len(p) > room {
		b.over = true
		b.Buffer.Write(p[:room])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
