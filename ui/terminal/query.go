package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"regexp"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"mediadesk/ui/picture"
)

// Query asks a terminal for its background, which is nil if unknown, and for the detector's
// features. It uses the line of the cursor and leaves it empty.
func Query(ctx context.Context, in, out *os.File, d *picture.Detector) (background color.Color, err error) {
	query := d.Query()
	if query == "" {
		return background, errors.New("not queried: this terminal would not answer")
	}
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return background, fmt.Errorf("the terminal cannot be queried: %w", err)
	}
	defer term.Restore(in.Fd(), before) //nolint:errcheck // there is nothing more to try

	reply, err := converse(ctx, in, out, "\r"+ansi.EraseEntireLine+ansi.RequestBackgroundColor+ansi.RequestPrimaryDeviceAttributes, d.AnswerTimeout())
	if err != nil {
		return nil, err
	}
	for _, event := range events(reply) {
		if event, ok := event.(uv.BackgroundColorEvent); ok {
			background = event.Color
		}
	}
	reply, err = converse(ctx, in, out, query, d.AnswerTimeout())
	if err != nil {
		return background, err
	}
	for _, event := range events(reply) {
		d.Update(event)
	}
	d.TimedOut()
	return background, nil
}

// events decodes the answers of a terminal.
func events(reply []byte) []uv.Event {
	var list []uv.Event
	var decoder uv.EventDecoder
	for len(reply) > 0 {
		n, event := decoder.Decode(reply)
		if n <= 0 {
			break
		}
		reply = reply[n:]
		if event != nil {
			list = append(list, event)
		}
	}
	return list
}

// attributes matches the answer to the last query, which every terminal supports.
var attributes = regexp.MustCompile(`\x1b\[\?[0-9;]*c`)

// converse writes queries and reads until the terminal has answered the last one or
// timeout has passed.
func converse(ctx context.Context, in, out *os.File, queries string, timeout time.Duration) ([]byte, error) {
	if _, err := out.WriteString(queries); err != nil {
		return nil, fmt.Errorf("the terminal cannot be queried: %w", err)
	}
	var reply bytes.Buffer
	limit := time.Now().Add(timeout)
	for !attributes.Match(reply.Bytes()) && ctx.Err() == nil {
		more, err := readWithin(in, time.Until(limit))
		if err != nil {
			return nil, fmt.Errorf("the answers of the terminal cannot be read: %w", err)
		}
		if len(more) == 0 {
			break
		}
		reply.Write(more)
	}
	return reply.Bytes(), nil
}

// Ask returns the result of ask, or a *SignalError as soon as ctx ends, so that the user
// need not press enter after ctrl+c. It restores the terminal modes that ask changed, such
// as echo; the goroutine of ask keeps running.
func Ask(ctx context.Context, in io.Reader, ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	restore := func() {}
	if tty, ok := in.(*os.File); ok {
		if before, err := term.GetState(tty.Fd()); err == nil {
			restore = func() { _ = term.Restore(tty.Fd(), before) }
		}
	}
	given := make(chan answer, 1)
	go func() {
		text, err := ask()
		given <- answer{text, err}
	}()
	select {
	case a := <-given:
		return a.text, a.err
	case <-ctx.Done():
		restore()
		return "", signaled(syscall.SIGINT)
	}
}
