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
	"strconv"
	"strings"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"mediadesk/ui/picture"
)

// Answers holds a terminal's answers other than those to a detector.
type Answers struct {
	Background color.Color // nil if unknown
	Widths     []int       // of the texts, in columns; -1 if unknown
}

// Query asks a terminal for its background and the detector's features, and measures the
// width of texts. It uses the line of the cursor and leaves it empty.
func Query(ctx context.Context, in, out *os.File, d *picture.Detector, texts []string) (a Answers, err error) {
	query := d.Query()
	if query == "" {
		return a, errors.New("not queried: this terminal would not answer")
	}
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return a, fmt.Errorf("the terminal cannot be queried: %w", err)
	}
	defer term.Restore(in.Fd(), before) //nolint:errcheck // there is nothing more to try

	var q strings.Builder
	for _, text := range texts {
		q.WriteString("\r" + ansi.EraseEntireLine + text + ansi.RequestCursorPositionReport)
	}
	q.WriteString("\r" + ansi.EraseEntireLine + ansi.RequestBackgroundColor + ansi.RequestPrimaryDeviceAttributes)
	reply, err := converse(ctx, in, out, q.String(), d.AnswerTimeout())
	if err != nil {
		return a, err
	}
	a.Widths = columns(reply, len(texts))
	for _, event := range events(reply) {
		if background, ok := event.(uv.BackgroundColorEvent); ok {
			a.Background = background.Color
		}
	}
	reply, err = converse(ctx, in, out, query, d.AnswerTimeout())
	if err != nil {
		return a, err
	}
	for _, event := range events(reply) {
		d.Update(event)
	}
	d.TimedOut()
	return a, nil
}

var cursorReply = regexp.MustCompile(`\x1b\[(\d+);(\d+)R`)

// columns returns the widths from the cursor reports. All are unknown if the number of
// reports differs from that of the texts.
func columns(reply []byte, texts int) []int {
	found := cursorReply.FindAllSubmatch(reply, -1)
	list := make([]int, texts)
	for i := range list {
		list[i] = -1
		if len(found) != texts {
			continue
		}
		if n, err := strconv.Atoi(string(found[i][2])); err == nil {
			list[i] = n - 1
		}
	}
	return list
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
