package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// uploadLine is the contract's line of one upload.
type uploadLine struct {
	Source   string          `json:"source"`
	Outcome  api.State       `json:"outcome"`
	File     json.RawMessage `json:"file"`
	Error    *uploadError    `json:"error"`
	Attempts int             `json:"attempts"`
	// Already says that nothing was sent, because the file was stored before.
	Already bool `json:"already,omitempty"`
}

type uploadError struct {
	Status    int    `json:"status"`
	Message   string `json:"message"`
	Help      string `json:"help"`
	RequestID string `json:"requestId"`
}

// newUploadLine is the line of a job.
func newUploadLine(j api.Job) (uploadLine, error) {
	file, err := record(j.File)
	line := uploadLine{Source: j.Upload.Source.String(), Outcome: j.State, File: file, Attempts: j.Attempts}
	if e := j.Failure; e != nil && j.State != api.Stored {
		line.Error = &uploadError{Status: e.Status, Message: e.Message, Help: e.Help, RequestID: e.RequestID}
	}
	return line, err
}

// uploadOutput prints outcomes and remembers what the exit code must be.
type uploadOutput struct {
	p       *Program
	json    bool
	count   map[api.State]int
	already int                 // of those stored: they were before
	reasons map[string][]string // sources by what was wrong
	jobs    []api.Job           // for the receipt
	live    bool                // a line of progress is drawn over and over
	drawn   bool                // it stands there
	handed  bool                // the jobs are one batch, of this command
	failed  bool                // something was refused or could not be sent
	unclear bool                // something is not known or not done
}

func newUploadOutput(p *Program, f *flags) *uploadOutput {
	return &uploadOutput{p: p, json: f.json, live: p.TerminalOut && !f.json && !f.prompts(p)}
}

// job prints the outcome of one job.
func (o *uploadOutput) job(j api.Job) error {
	o.note(j)
	if o.json {
		line, err := newUploadLine(j)
		if err != nil {
			return err
		}
		return printJSON(o.p.Stdout, line)
	}
	fmt.Fprintln(o.p.Stdout, jobSentence(j))
	return nil
}

// note counts an outcome.
func (o *uploadOutput) note(j api.Job) {
	if o.count == nil {
		o.count, o.reasons = map[api.State]int{}, map[string][]string{}
	}
	o.count[j.State]++
	o.jobs = append(o.jobs, j)
	switch j.State {
	case api.Stored:
		return
	case api.Refused, api.Unsent, api.Cancelled:
		o.failed = true
	default:
		o.unclear = true
	}
	why := string(j.State)
	if j.Failure != nil {
		why += ": " + reason(j)
	}
	o.reasons[why] = append(o.reasons[why], j.Upload.Source.String())
}

// reason is why a job failed, without the path that reasons of sources begin
// with: it is named beside them.
func reason(j api.Job) string {
	return strings.TrimPrefix(j.Failure.Message, strconv.Quote(j.Upload.Source.Path)+" ")
}

// stored prints that a source was stored before and is not sent.
func (o *uploadOutput) stored(one planned, before *api.Job) error {
	if o.count == nil {
		o.count, o.reasons = map[api.State]int{}, map[string][]string{}
	}
	o.already++
	if o.json {
		file, err := record(before.File)
		if err != nil {
			return err
		}
		return printJSON(o.p.Stdout, uploadLine{Source: one.upload.Source.String(), Outcome: api.Stored, File: file, Already: true})
	}
	fmt.Fprintf(o.p.Stdout, "%s: already stored as %s since %s; not sent\n", text.Safe(one.upload.Source.String()), text.Safe(placeOf(before)), before.Updated.Local().Format("2 Jan 2006 15:04"))
	return nil
}

func placeOf(j *api.Job) string {
	if j.File != nil && j.File.FilePath != "" {
		return j.File.FilePath
	}
	return j.Upload.Path()
}

// jobSentence says in words what became of a job.
func jobSentence(j api.Job) string {
	name := text.Safe(j.Upload.Source.String())
	why := ""
	if j.Failure != nil {
		why = ": " + text.Safe(sentences(reason(j), j.Failure.Help))
	}
	switch j.State {
	case api.Stored:
		if j.File == nil {
			return fmt.Sprintf("%s: stored as %s", name, text.Safe(j.Upload.Path()))
		}
		return fmt.Sprintf("%s: stored as %s (%s)", name, text.Safe(j.File.FilePath), text.Safe(j.File.FileID))
	case api.Waiting, api.Sending:
		return name + ": waits in the journal; go on with: mediadesk upload"
	default:
		return fmt.Sprintf("%s: %s%s", name, j.State, why)
	}
}

// follow prints each job when it has its outcome and returns the stored files.
// On a terminal a line below tells how far it is.
func (o *uploadOutput) follow(ctx context.Context, d *session.Session, ids []int64) ([]string, error) {
	var files []string
	for _, id := range ids {
		jobs, err := o.await(ctx, d, id)
		switch {
		case err == nil:
		case ctx.Err() == nil:
			return files, err
		default:
			if jobs, err = interrupted(d, id); err != nil {
				return files, err
			}
		}
		for _, j := range jobs {
			if err := o.job(j); err != nil {
				return files, err
			}
			if j.File != nil {
				files = append(files, j.File.FileID)
			}
		}
		if ctx.Err() != nil {
			o.unclear = true
		}
	}
	return files, nil
}

// interrupted is how a job stands when the person has interrupted: what is under
// way is broken off and left to the journal.
func interrupted(d *session.Session, id int64) ([]api.Job, error) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := d.Queue.Close(ctx); err != nil {
		return nil, err
	}
	jobs, err := d.Queue.Wait(ctx, []int64{id})
	if err != nil && !errors.Is(err, session.ErrQueueClosed) {
		return nil, err
	}
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.State.Final():
		case j.Evidence != api.MaybeStored:
			j.State = api.Waiting
		default:
			failure := api.Failure{Message: "it was interrupted when it may have arrived already"}
			if j.Failure != nil {
				failure = *j.Failure
			}
			failure.Help = "Whether it arrived is found out, where that can be, by: mediadesk upload"
			j.State, j.Failure = api.Unknown, &failure
		}
	}
	return jobs, nil
}

// progressEvery is how often the line of progress is written.
const progressEvery = 250 * time.Millisecond

// await waits for one job.
func (o *uploadOutput) await(ctx context.Context, d *session.Session, id int64) ([]api.Job, error) {
	if !o.live {
		return d.Queue.Wait(ctx, []int64{id})
	}
	for {
		short, cancel := context.WithTimeout(ctx, progressEvery)
		jobs, err := d.Queue.Wait(short, []int64{id})
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			if o.drawn {
				fmt.Fprint(o.p.Stdout, "\r\x1b[K")
				o.drawn = false
			}
			return jobs, err
		}
		fmt.Fprint(o.p.Stdout, "\r\x1b[K"+text.Truncate(progressLine(d.Queue.Snapshot()), 79))
		o.drawn = true
	}
}

// progressLine says how all uploads stand and how far the one under way is.
func progressLine(s session.Snapshot) string {
	t := s.Totals
	words := []string{text.Count(t.Stored) + " of " + text.Count(t.Jobs) + " stored"}
	if failed := t.Refused + t.Unsent + t.Unknown; failed > 0 {
		words = append(words, text.Count(failed)+" failed")
	}
	if rate := text.Rate(t.Rate); rate != "" {
		words = append(words, rate)
	}
	if t.Left > 0 {
		words = append(words, "about "+text.Duration(t.Left)+" left")
	}
	for _, row := range s.Rows {
		if row.Job.State != api.Sending {
			continue
		}
		one := text.Safe(row.Job.Upload.Source.Name())
		switch {
		case row.Stalled:
			one += " stalled"
		case row.Answer:
			one += " sent, waiting for the answer"
		default:
			one += " " + text.Percent(row.Sent, row.Total, false)
		}
		words = append(words, one)
		break
	}
	return strings.Join(words, " · ")
}

// rollUp says how many came to what, where there were several, and why those
// that failed did.
func (o *uploadOutput) rollUp() {
	total := o.already
	var words []string
	for _, s := range []api.State{api.Stored, api.Refused, api.Unsent, api.Unknown, api.Cancelled, api.Waiting, api.Sending} {
		if n := o.count[s]; n > 0 {
			total += n
			words = append(words, fmt.Sprintf("%s %s", text.Count(n), s))
		}
	}
	if o.already > 0 {
		words = append(words, text.Count(o.already)+" already stored")
	}
	if total < 2 || o.json {
		return
	}
	fmt.Fprintln(o.p.Stdout, strings.Join(words, ", "))
	for _, why := range slices.Sorted(maps.Keys(o.reasons)) {
		sources := o.reasons[why]
		names := strings.Join(sources[:min(3, len(sources))], ", ")
		if more := len(sources) - 3; more > 0 {
			names += " and " + text.Count(more) + " more"
		}
		fmt.Fprintf(o.p.Stdout, "  %s (%s)\n", text.Safe(why), text.Safe(names))
	}
}

// writeReceipt keeps the receipt of what was handed over, with what could not
// be sent in it too, also where the person asked for it, and says where it is.
func (o *uploadOutput) writeReceipt(d *session.Session, name string) error {
	if len(o.jobs) == 0 {
		return nil
	}
	receipt := session.NewReceipt(d.Profile.Host, o.jobs, time.Now())
	kept := name
	if batch := o.jobs[len(o.jobs)-1].Batch; o.handed && batch != "" {
		kept = session.ReceiptFile(d.Receipts(), batch)
		if err := receipt.WriteFile(kept); err != nil {
			return err
		}
	}
	if name != "" && name != kept {
		kept = name
		if err := receipt.WriteFile(name); err != nil {
			return err
		}
	}
	if !o.json && len(o.jobs) > 1 && kept != "" {
		fmt.Fprintln(o.p.Stdout, "Receipt: "+text.Safe(kept))
	}
	return nil
}

// code takes the exit code of a later step into account.
func (o *uploadOutput) code(err error) {
	switch exitCode(err) {
	case exitDone:
	case exitUnclear:
		o.unclear = true
	default:
		o.failed = true
	}
}

// end is the error that carries the exit code.
func (o *uploadOutput) end() error {
	switch {
	case o.failed:
		return &exitError{code: exitFailed}
	case o.unclear:
		return &exitError{code: exitUnclear}
	}
	return nil
}
