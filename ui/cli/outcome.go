package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

type uploadLine struct {
	Source   string       `json:"source"`
	Outcome  *job.State   `json:"outcome"` // null if none yet
	Open     bool         `json:"open,omitempty"`
	File     record       `json:"file"`
	Error    *uploadError `json:"error"`
	Attempts int          `json:"attempts"`
	// Already reports that the file was stored before and nothing was sent.
	Already bool `json:"already,omitempty"`
	// Lost lists properties that were not transferred.
	Lost []string `json:"lost,omitempty"`
	// Move tells whether the source in another profile was deleted, and Kept why not.
	Move      job.Move `json:"move,omitempty"`
	MoveError string   `json:"kept,omitempty"`
}

type uploadError struct {
	Status    int    `json:"status"`
	Message   string `json:"message"`
	Help      string `json:"help"`
	RequestID string `json:"requestId"`
}

func newUploadLine(j job.Job) uploadLine {
	line := uploadLine{
		Source: j.Upload.Source.String(), Outcome: &j.State, File: record{j.File},
		Attempts: j.Attempts, Lost: j.Lost, Move: j.Move, MoveError: j.MoveError,
	}
	if j.State.Open() {
		line.Outcome, line.Open = nil, true
	}
	if e := j.Failure; e != nil && j.State != job.Stored {
		line.Error = &uploadError{Status: e.Status, Message: e.Message, Help: e.Help, RequestID: e.RequestID}
	}
	return line
}

// uploadOutput prints outcomes and determines the exit code. Stored files go to standard output,
// everything else to standard error.
type uploadOutput struct {
	p       *Program
	count   map[job.State]int
	already int         // among the stored ones
	jobs    []job.Job   // that transfer looks through
	live    bool        // progress is drawn on standard error
	drawn   bool        // the line of progress is on the screen
	code    int         // exit code, the worst so far
	files   []*api.File // stored files, for the clipboard
}

func newUploadOutput(p *Program) *uploadOutput {
	live := p.TerminalErr && !p.json && !p.quiet && !p.prompts()
	return &uploadOutput{p: p, live: live, count: map[job.State]int{}}
}

func (o *uploadOutput) job(j job.Job) error {
	o.add(j)
	if o.p.json {
		return o.p.printJSON(newUploadLine(j))
	}
	to, line := text.Either(j.State == job.Stored, o.p.Stdout, o.p.Stderr), jobSentence(j)
	if j.File != nil && j.File.URL != "" {
		line += "  " + text.Safe(j.File.URL)
	}
	_, err := fmt.Fprintln(to, line)
	return err
}

// unsent prints that a job cannot be sent, and why.
func (o *uploadOutput) unsent(j job.Job, err error) error {
	j.State, j.Failure = job.Unsent, job.FailureOf(err)
	return o.job(j)
}

func (o *uploadOutput) add(j job.Job) {
	o.count[j.State]++
	o.jobs = append(o.jobs, j)
	if j.File != nil {
		o.files = append(o.files, j.File)
		o.p.addresses = o.p.addresses || j.File.URL != ""
	}
	switch j.State {
	case job.Stored:
		if j.File != nil && rule.Replaces(j.File) {
			o.p.stale = append(o.p.stale, j.File)
		}
		if j.Move == job.MoveFailed {
			o.worsen(exitFailed)
		}
	case job.Refused, job.Unsent, job.Canceled:
		o.worsen(exitFailed)
		if f := j.Failure; j.State == job.Refused && f != nil &&
			(f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden) {
			o.worsen(exitKey)
		}
	default:
		o.worsen(exitUnknown)
	}
}

// skipped prints that a source is not sent, since it was stored before; file may be nil.
func (o *uploadOutput) skipped(source api.Source, file *api.File, reason string) error {
	o.already++
	if file != nil {
		o.files = append(o.files, file)
	}
	line := uploadLine{Source: source.String(), Outcome: new(job.Stored), File: record{file}, Already: true}
	return o.p.result(line, fmt.Sprintf("%s: skipped%s", source, reason))
}

func jobSentence(j job.Job) string {
	name := text.Safe(j.Upload.Source.String())
	problem := ""
	if j.Failure != nil {
		problem = ": " + text.Safe(j.Reason())
		if j.Failure.Help != "" {
			problem = text.Stop(problem) + " " + text.Safe(j.Failure.Help)
		}
	}
	switch j.State {
	case job.Stored:
		line := name + ": stored as " + text.Safe(rule.PathOf(&j.Upload))
		if f := j.File; f != nil {
			line = fmt.Sprintf("%s: stored as %s (%s)", name, text.Safe(f.FilePath), text.Safe(f.FileID))
		}
		switch from := text.Safe(j.Upload.Source.Origin.Profile); j.Move {
		case job.MoveDone:
			line += ", deleted from " + from
		case job.MoveFailed:
			line += ", not deleted from " + from + ": " + text.Safe(j.MoveError)
		}
		return line
	case job.Waiting, job.Sending, job.Offline:
		if j.Failure == nil {
			return name + ": waits in the journal; continue with: " + resumeCommand(j.Profile)
		}
		reason := text.Stop(text.Safe(j.Reason()))
		return name + ": open: " + reason + " Continue with: " + resumeCommand(j.Profile)
	case job.Processing:
		return name + ": waiting for the service" + text.Stop(problem) + " Check with: " + resumeCommand(j.Profile)
	default:
		return fmt.Sprintf("%s: %s%s", name, j.State, problem)
	}
}

// finish waits for queued jobs, with wait also for their extensions, prints a summary, and returns
// the error with the exit code.
func (o *uploadOutput) finish(ctx context.Context, s *session.Session, queued []job.Job, wait bool,
	timeout time.Duration,
) error {
	files, err := o.follow(ctx, s, queued)
	if err != nil {
		return err
	}
	if wait && len(files) > 0 {
		o.worsen(exitCode(watchRuns(ctx, o.p, s, files, false, timeout)))
	}
	o.rollUp()
	return o.end()
}

// follow prints each job when it finishes and returns the stored files. On a terminal it draws the
// progress below.
func (o *uploadOutput) follow(ctx context.Context, s *session.Session, queued []job.Job) ([]string, error) {
	var files []string
	waiting := 0
	for _, j := range queued {
		jobs, err := o.await(ctx, s, j.ID)
		if err != nil && ctx.Err() != nil {
			jobs, err = interrupted(s, j.ID)
		}
		if err != nil {
			return files, err
		}
		for _, j := range jobs {
			if j.State == job.Waiting && j.Failure == nil && !o.p.json {
				o.add(j)
				waiting++
				continue
			}
			if err := o.job(j); err != nil {
				return files, err
			}
			if j.File != nil {
				files = append(files, j.File.FileID)
			}
		}
	}
	if waiting > 0 {
		fmt.Fprintf(o.p.Stderr, "mediadesk: %s %s in the journal. Continue with: %s\n", text.Plural(waiting, "upload"),
			text.Either(waiting == 1, "waits", "wait"), resumeCommand(s.Profile.Name))
	}
	if ctx.Err() != nil {
		o.worsen(exitUnknown)
	}
	return files, nil
}

// interrupted returns a job's state after an interruption. Running uploads are stopped and stay in
// the journal.
func interrupted(s *session.Session, id int64) ([]job.Job, error) {
	ctx, cancel := context.WithTimeout(context.Background(), session.CloseTimeout)
	defer cancel()
	if err := s.Queue.Close(ctx); err != nil {
		return nil, err
	}
	jobs, err := s.Queue.Wait(ctx, []int64{id})
	if err != nil && !errors.Is(err, queue.ErrClosed) {
		return nil, err
	}
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.State.Final(), j.State == job.Offline:
		case j.MayRepeat():
			j.State = job.Waiting
		default:
			failure := *cmp.Or(j.Failure, &job.Failure{Message: "interrupted when it may have arrived already"})
			failure.Help = "To find out whether it arrived, run: " + resumeCommand(s.Profile.Name)
			j.State, j.Failure = job.Unknown, &failure
		}
	}
	return jobs, nil
}

func (o *uploadOutput) rollUp() {
	total := o.already
	var words []string
	for _, s := range []job.State{
		job.Stored, job.Refused, job.Unsent, job.Unknown, job.Processing,
		job.Canceled, job.Offline, job.Waiting, job.Sending,
	} {
		if n := o.count[s]; n > 0 {
			total += n
			words = append(words, fmt.Sprintf("%s %s", text.Count(n), s))
		}
	}
	if o.already > 0 {
		words = append(words, text.Count(o.already)+" already stored")
	}
	if total > 1 && !o.p.json {
		o.p.note("%s", strings.Join(words, ", "))
	}
}

// worsen notes an exit code: a key that is not accepted counts more than a failure, and that more
// than an open outcome.
func (o *uploadOutput) worsen(code int) {
	order := []int{exitDone, exitUnknown, exitFailed, exitKey}
	if slices.Index(order, code) > slices.Index(order, o.code) {
		o.code = code
	}
}

func (o *uploadOutput) end() error { return failures{o.code}.exit() }
