package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// State is where a job stands. The last six are outcomes: they are final
// until a person asks for another attempt.
type State string

// The states of a job.
const (
	Waiting   State = "waiting"   // in the queue
	Sending   State = "sending"   // under way
	Offline   State = "offline"   // waits for a connection to the service
	Stored    State = "stored"    // the service stored it and said so
	Refused   State = "refused"   // the service said no
	Unsent    State = "unsent"    // nothing can have arrived
	Unknown   State = "unknown"   // bytes went out, no answer came back
	Cancelled State = "cancelled" // taken back by the person before it was complete
	// Processing: the service accepted it (202) and stores it later. Nothing more is
	// sent; whether it was stored shows later.
	Processing State = "processing"
)

// Final reports whether the state is an outcome.
func (s State) Final() bool { return s != Waiting && s != Sending && s != Offline }

// Open reports whether the fate of the file is not decided: the job has no outcome, or
// waits for the service.
func (s State) Open() bool { return !s.Final() || s == Processing }

// Evidence tells whether the file of a job may be stored already. It decides whether the job may be
// sent again, and its outcome.
type Evidence string

// The kinds of evidence. The zero value is NotSent.
const (
	// NotSent: no attempt can have arrived.
	NotSent Evidence = ""
	// Orphaned: an attempt may have arrived that the journal does not know: the
	// program that had the job was killed, or the service answered 503. Only jobs
	// with a name made here are orphaned; all others are journaled before the
	// first byte is sent.
	Orphaned Evidence = "orphaned"
	// MaybeStored: everything was sent, and no answer said what became of it.
	MaybeStored Evidence = "maybe stored"
	// SurelyStored: the service said so, or has the file.
	SurelyStored Evidence = "stored"
)

// Naming is how the stored file gets its name.
type Naming string

// The three ways of naming.
const (
	NameHere    Naming = "here"    // made unique by us, so that a repeat can never store twice
	NameService Naming = "service" // the service adds a suffix
	NameExact   Naming = "off"     // exactly the given name
)

// ApplyNaming writes a way of naming into an upload. NameHere puts a new
// suffix into the file name, so it is done once, before the job is journaled.
// It also sets overwriteFile to false; the other two leave that as it is.
func ApplyNaming(u *Upload, n Naming) {
	switch n {
	case NameHere:
		u.FileName = UniqueName(u.FileName, NewSuffix())
		u.UseUniqueFileName = Set(false)
		u.OverwriteFile = Set(false)
	case NameService:
		u.UseUniqueFileName = Field[bool]{}
	case NameExact:
		u.UseUniqueFileName = Set(false)
	}
}

// Job is one upload in the queue, from waiting to its outcome.
type Job struct {
	ID       int64     `json:"id"`      // given by the journal; 0 before
	Profile  string    `json:"profile"` // name of the profile it is sent with
	Upload   Upload    `json:"upload"`  // as it is sent, unique name and all
	Naming   Naming    `json:"naming"`
	Identity Identity  `json:"identity,omitzero"` // of the source when it was handed over; zero for a URL; of an Origin its size alone
	State    State     `json:"state"`
	Attempts int       `json:"attempts"` // how often it was sent
	Evidence Evidence  `json:"evidence,omitempty"`
	File     *File     `json:"file,omitempty"`
	Failure  *Failure  `json:"failure,omitempty"` // of the last attempt; nil where there is none
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Started  time.Time `json:"started,omitzero"` // when the first attempt began; zero: none did

	// Hash is the hash of the sent bytes, with its kind (see XXH128); empty before sending and for
	// URLs.
	Hash string `json:"hash,omitempty"`
	// Priority is by hand: a higher one is sent before the others. Equal ones
	// go in the order in which they were handed over.
	Priority int `json:"priority,omitempty"`

	// OwnWebhook: an address of our receiver goes along where extensions are
	// asked for. The address itself is made for each attempt and kept nowhere.
	OwnWebhook bool   `json:"ownWebhook,omitempty"`
	Batch      string `json:"batch,omitempty"` // what was handed over together; empty: by itself

	// Lost lists properties of a file from another profile that are not sent, such as "2 AI tags".
	Lost []string `json:"lost,omitempty"`

	// Move tells whether the source in the other profile is deleted after the upload, and Kept
	// why it was not. With MoveAfter a job has no outcome before that is decided.
	Move Move   `json:"move,omitempty"`
	Kept string `json:"kept,omitempty"`

	// Dismissed: the person canceled the job or removed it from the list. It is
	// sent again only if the person asks for this very job.
	Dismissed bool `json:"dismissed,omitempty"`
}

// Move tells what happens to a source in another profile. The zero value keeps it.
type Move string

// The states of a move.
const (
	MoveAfter Move = "after" // the source is deleted after the stored file was read back and compared
	MoveDone  Move = "done"  // the source was deleted
	MoveKept  Move = "kept"  // the source was not deleted, see Job.Kept
)

// Reason is the message of the failure, without the source that it may begin with; empty
// where there is none.
func (j *Job) Reason() string {
	if j.Failure == nil {
		return ""
	}
	message := strings.TrimPrefix(j.Failure.Message, strconv.Quote(j.Upload.Source.Path)+" ")
	return strings.TrimPrefix(message, quote(j.Upload.Source.String())+" ")
}

// MayRepeat reports whether another attempt cannot store the file twice.
func (j *Job) MayRepeat() bool { return j.Evidence != MaybeStored || j.RepeatsSafely() }

// Failed reports whether the job has an outcome that another attempt could
// improve, and the person has not dismissed it.
func (j *Job) Failed() bool {
	return !j.Dismissed && (j.State == Refused || j.State == Unsent || j.State == Unknown)
}

// MayResume reports whether the job goes on by itself at the next start: nothing
// was decided about its file, and another attempt cannot store it twice.
func (j *Job) MayResume() bool { return j.Failed() && j.State != Refused && j.MayRepeat() }

// RepeatsSafely reports whether sending the job again can never store it twice:
// its name is kept as it is, and nothing of that name is overwritten
// (design.md §7). It is the only place with this rule.
func (j *Job) RepeatsSafely() bool {
	return !j.Upload.UseUniqueFileName.Or(true) && !j.Upload.OverwriteFile.Or(true)
}

// OwnName reports whether the job has a unique name and overwrites nothing, so that an existing
// file of that name is its own.
func (j *Job) OwnName() bool { return j.Naming == NameHere && j.RepeatsSafely() }

// Failure is an error in the form in which it is kept and shown.
type Failure struct {
	Status    int    `json:"status,omitempty"` // HTTP status; 0: no answer
	Message   string `json:"message"`
	Help      string `json:"help,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

func (f *Failure) Error() string { return f.Message }

// FailureOf puts an error into the form in which it is kept; nil of nil.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Message: err.Error(), Help: Hint(err)}
	var answer *ServiceError
	var accepted *AcceptedError
	switch {
	case errors.As(err, &accepted):
		f.Status, f.RequestID = http.StatusAccepted, accepted.RequestID
	case errors.As(err, &answer):
		f.Status, f.Message, f.RequestID = answer.Status, answer.Message, answer.RequestID
		if answer.Help != "" {
			f.Help = answer.Help
		}
	}
	return f
}

// OutcomeOf returns the outcome of an attempt that ended with err; Stored for nil. A failure after
// the last byte was sent is Unknown.
func OutcomeOf(err error) State {
	var answer *ServiceError
	var send *SendError
	switch {
	case err == nil:
		return Stored
	case errors.Is(err, ErrNoRecord):
		return Unknown
	case errors.As(err, &answer):
		if answer.Status >= 500 && answer.Complete && !answer.NotDone() {
			return Unknown
		}
		return Refused
	case errors.As(err, &send) && send.Complete:
		return Unknown
	}
	return Unsent
}
