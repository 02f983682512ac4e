package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/itchyny/gojq"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

func report(w io.Writer, err error) {
	if exit, ok := errors.AsType[*exitError](err); ok && exit.err == nil || is[*terminal.SignalError](err) {
		return
	}
	fmt.Fprintln(w, "mediadesk: "+text.Safe(strings.ReplaceAll(err.Error(), "\n", "; "))) // joined errors
	if hint := api.Hint(err); hint != "" {
		fmt.Fprintln(w, text.Safe(hint))
	}
}

// safeLines makes text safe for the terminal and keeps our line breaks.
func safeLines(words string) string {
	return strings.Join(rule.Mapped(strings.Split(words, "\n"), text.Safe), "\n")
}

// encodeJSON returns v as JSON on one line. Characters that text.Safe would change
// are escaped, and all combining marks of a letter but the first.
func encodeJSON(v any) ([]byte, error) {
	line, err := rule.ReadableJSON(v)
	if line = append(line, '\n'); err != nil || !bytes.ContainsFunc(line, func(r rune) bool { return r >= 0x7f }) {
		return line, err
	}
	var safe []byte
	afterMark := false
	for _, r := range string(line) { // other than ASCII occurs only in strings
		mark := unicode.Is(unicode.M, r)
		plain := !mark && r != utf8.RuneError && text.Safe(string(r)) == string(r)
		if r < 0x7f || mark && !afterMark || plain {
			safe, afterMark = utf8.AppendRune(safe, r), mark
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			safe = fmt.Appendf(safe, `\u%04x`, unit)
		}
	}
	return safe, nil
}

type outputFlags struct {
	jq, format string
	query      *gojq.Code
}

var formatField = regexp.MustCompile(`\{\{ *((?:\.\w+)+) *\}\}`)

func (o *outputFlags) fill(value any) string {
	return formatField.ReplaceAllStringFunc(o.format, func(field string) string {
		at := value
		for name := range strings.SplitSeq(strings.Trim(field, "{ .}"), ".") {
			object, _ := at.(map[string]any)
			at = object[name]
		}
		switch at := at.(type) {
		case nil:
			return ""
		case string:
			return at
		}
		content, _ := json.Marshal(at) // it was JSON
		return string(content)
	})
}

// compile checks the flags. Each of them implies --json.
func (o *outputFlags) compile() error {
	if o.jq != "" {
		query, err := gojq.Parse(o.jq)
		if err == nil {
			o.query, err = gojq.Compile(query)
		}
		if err != nil {
			return usage("--jq: %s", err.Error())
		}
	}
	if strings.Contains(formatField.ReplaceAllString(o.format, ""), "{{") {
		return usage("--format takes fields such as {{.fileId}} and {{.versionInfo.id}}; for anything else, use --jq")
	}
	return nil
}

// printJSON prints v as JSON on one line, or what --jq or --format make of it.
func (p *Program) printJSON(v any) error {
	line, err := encodeJSON(v)
	if err != nil {
		return err
	}
	if p.output.query == nil && p.output.format == "" {
		_, err = p.Stdout.Write(line)
		return err
	}
	var value any
	numbers := json.NewDecoder(bytes.NewReader(line))
	numbers.UseNumber()
	if err := numbers.Decode(&value); err != nil {
		return err
	}
	if p.output.format != "" {
		_, err = fmt.Fprintln(p.Stdout, safeLines(p.output.fill(value)))
		return err
	}
	for results := p.output.query.Run(value); err == nil; {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		switch result := result.(type) {
		case error:
			return &exitError{exitUsage, fmt.Errorf("--jq: %w", result)}
		case string:
			_, err = fmt.Fprintln(p.Stdout, text.Safe(result))
		default:
			if line, err = encodeJSON(result); err == nil {
				_, err = p.Stdout.Write(line)
			}
		}
	}
	return err
}

// record is the JSON of a file, as answered by the service if possible; null if nil.
type record struct{ *api.File }

func (r record) MarshalJSON() ([]byte, error) {
	if r.File != nil && r.Raw != nil {
		return r.Raw, nil
	}
	return json.Marshal(r.File)
}

// result prints v with --json, else line.
func (p *Program) result(v any, line string) error {
	if p.json {
		return p.printJSON(v)
	}
	_, err := fmt.Fprintln(p.Stdout, text.Safe(line))
	return err
}

func (p *Program) dryReads(ctx context.Context, names []string,
	request func(id string) api.Request,
) error {
	s, err := p.openOrDescribe(ctx, hasPath(names))
	if err != nil {
		return err
	}
	return p.each(ctx, names, func(name string) error {
		id, err := fileID(ctx, s, name)
		if err != nil {
			return err
		}
		return p.showRequest(s.Client.Describe(request(id)))
	})
}

func (p *Program) showRequest(r api.Request) error {
	switch {
	case r.Err != nil:
		return r.Err
	case p.json:
		return p.printJSON(r)
	}
	w := p.Stdout
	fmt.Fprintf(w, "%s %s\n", r.Method, text.Safe(r.Address))
	for _, part := range r.Parts {
		fmt.Fprintf(w, "  %s = %s\n", part.Name, text.Safe(part.Value))
	}
	if r.File != "" {
		fmt.Fprintf(w, "  file = the bytes of %s\n", text.Safe(r.File))
	}
	if r.Body != "" {
		fmt.Fprintf(w, "  %s\n", text.Safe(r.Body))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", safeLines(r.Curl()))
	return err
}

const barWidth = 20

// await waits for a job and draws the progress of all in one line below the output.
func (o *uploadOutput) await(ctx context.Context, s *session.Session, id int64) ([]job.Job, error) {
	for {
		short, cancel := context.WithTimeout(ctx, 250*time.Millisecond)
		if !o.live {
			short = ctx
		}
		jobs, err := s.Queue.Wait(short, []int64{id})
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			o.draw("")
			return jobs, err
		}
		width := 0 // if unknown
		if out, ok := o.p.Stderr.(*os.File); ok {
			width, _, _ = term.GetSize(out.Fd())
		}
		o.draw(progressLine(s.Queue.Snapshot(), time.Now(), cmp.Or(width, helpWidth)))
	}
}

func (o *uploadOutput) draw(line string) {
	if o.drawn || line != "" {
		fmt.Fprint(o.p.Stderr, "\r\x1b[K"+line)
	}
	o.drawn = line != ""
}

func progressLine(s queue.Snapshot, now time.Time, w int) string {
	t := s.Totals
	full := int(text.Share(t.Sent, t.Total) * barWidth)
	bar := strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
	failed := t.Count[job.Refused] + t.Count[job.Unsent] + t.Count[job.Unknown]
	words := []string{
		text.Count(t.Count[job.Stored]) + " of " + text.Count(t.Jobs) + " stored  " + bar,
		text.Percent(t.Sent, t.Total), text.Rate(t.Rate),
		text.If(t.Left > 0, text.Duration(t.Left)+" left"),
		text.If(failed > 0, text.Count(failed)+" failed"),
	}
	if o := s.Offline; !o.Since.IsZero() {
		words = append(words, "offline: "+text.Safe(o.Host), "next try "+text.In(o.Next, now))
	}
	for i := range s.Rows {
		row := &s.Rows[i]
		if row.Job.State == job.Sending {
			state := text.Either(row.Stalled, ": stalled", text.If(row.Answer, ": waiting for the answer"))
			words = append(words, text.Safe(row.Job.Upload.Source.Name())+state)
		}
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	return text.Truncate(strings.Join(words, " · "), max(1, w-1))
}
