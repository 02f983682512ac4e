package uploads

import (
	"fmt"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// stateWord returns the word for a job's state.
func stateWord(r row) string {
	switch {
	case r.Fetching:
		return "fetching"
	case r.Paused && !r.Job.State.Final():
		return "paused"
	case r.Job.State == api.Sending && r.Stalled:
		return "stalled"
	case r.Job.State == api.Sending && r.Answer:
		return "sent"
	}
	return string(r.Job.State)
}

// sign returns the sign for a job's state.
func sign(r row) theme.Sign {
	if r.Fetching {
		return theme.SignBusy
	}
	switch r.Job.State {
	case api.Stored:
		return theme.SignGood
	case api.Refused, api.Unsent:
		return theme.SignBad
	case api.Unknown, api.Processing:
		return theme.SignUnknown
	case api.Offline:
		return theme.SignWarn
	case api.Sending:
		if r.Stalled {
			return theme.SignWarn
		}
		return theme.SignBusy
	case api.Waiting:
		if r.Paused {
			return theme.SignPaused
		}
		return theme.SignWait
	}
	return theme.SignNone
}

// status returns the state word with the progress.
func status(r row) string {
	word := stateWord(r)
	if r.Fetching {
		if percent := text.Percent(r.Fetched, r.Total, false); percent != "" {
			word = "fetched " + percent
		}
		return word
	}
	// Only the other program knows the progress of its jobs.
	if r.Job.State == api.Sending && !r.Answer && !r.earlier {
		if percent := text.Percent(r.Sent, r.Total, false); percent != "" {
			word += " " + percent
		}
	}
	return word
}

// note returns a short remark about a job. It may contain unsafe text.
func note(r row, now time.Time) string {
	job := r.Job
	if r.Fetching {
		return strings.TrimSuffix("from "+job.Upload.Source.Origin.Profile+", "+moving(r), ", ")
	}
	switch job.State {
	case api.Sending:
		if r.earlier {
			return "in another mediadesk"
		}
		return moving(r)
	case api.Offline:
		if r.earlier || r.Next.IsZero() {
			return "no connection to the service"
		}
		return "no connection · next try " + text.In(r.Next, now) + " · r now"
	case api.Waiting:
		switch {
		case r.earlier:
			return "another mediadesk has it"
		case !r.Next.IsZero():
			words := "retrying " + text.In(r.Next, now)
			if job.Failure != nil {
				words += ": " + job.Failure.Message
			}
			return words
		}
		return ""
	case api.Stored:
		switch {
		case job.Failure != nil:
			return job.Failure.Message
		case job.Move == api.MoveKept:
			return "not deleted from " + job.Upload.Source.Origin.Profile + ": " + job.Kept
		}
		return ""
	case api.Cancelled:
		return text.Date(job.Updated)
	case api.Processing:
		return "waiting for the service · L checks"
	}
	if job.Failure == nil {
		return ""
	}
	if job.Failure.Status != 0 {
		return failure(job.Failure)
	}
	return job.Reason() // the row already shows the file name
}

// failure formats an error in one line: the response status, if any, and the message.
func failure(f *api.Failure) string {
	if f.Status != 0 {
		return fmt.Sprintf("%d %s", f.Status, f.Message)
	}
	return f.Message
}

// moving describes the progress of a running upload.
func moving(r row) string {
	switch {
	case r.Answer:
		return "sent, waiting for the answer"
	case r.Stalled:
		return "no byte for 3 s or more"
	case r.Rate > 0 && r.Left > 0:
		return text.Rate(r.Rate) + ", " + text.About(r.Left) + " left"
	case r.Rate > 0:
		return text.Rate(r.Rate)
	}
	return ""
}

// bytes formats how much of a job has been sent.
func bytes(r row) string {
	switch {
	case r.Total <= 0:
		return ""
	case r.Fetching:
		return text.Bytes(r.Fetched) + " of " + text.Bytes(r.Total)
	case r.Job.State == api.Sending && !r.Answer && !r.earlier:
		return text.Bytes(r.Sent) + " of " + text.Bytes(r.Total)
	}
	return text.Bytes(r.Total)
}

// advice tells the user what to do about a job.
func advice(r row) string {
	job := r.Job
	switch job.State {
	case api.Stored:
		if job.File == nil {
			return ""
		}
		if job.File.Replaces() {
			return "It is a new version of the file. enter opens its details; m p there purges the cache."
		}
		return "enter opens its details."
	case api.Refused:
		return "The service refused it and stored nothing. r sends it again as it is; e changes its options first."
	case api.Unsent:
		return "Nothing can have arrived. r sends it again."
	case api.Unknown:
		if job.RepeatsSafely() {
			return "It may have arrived. r sends it again; it cannot be stored twice, because its name is unique."
		}
		return "It may have arrived. L checks whether it did. If you send it again (r), it may be stored twice."
	case api.Offline:
		return "It goes on when the service can be reached. r tries now."
	case api.Processing:
		return "The service accepted it and stores it later. L searches for it now." // the failure says the rest
	case api.Cancelled:
		return "You canceled it, and nothing was stored. r sends it."
	case api.Sending:
		if r.Stalled {
			return "No data is moving. After 60 s without a byte it is sent again; x cancels it."
		}
	case api.Waiting:
		if r.earlier {
			return "Another mediadesk that is running sends it. If that one ends, it continues here within half a minute."
		}
		if r.Paused {
			return "p continues it."
		}
	}
	return ""
}
