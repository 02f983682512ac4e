package job

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// State is the state of a job. The last six are outcomes: they are final until the user asks for
// another attempt.
type State string

// The states of a job.
const (
	Waiting  State = "waiting"   // in the queue
	Sending  State = "sending"   // in progress
	Offline  State = "offline"   // waiting for a connection to the service
	Stored   State = "stored"    // the service confirmed that it stored the file
	Refused  State = "refused"   // the service refused it
	Unsent   State = "unsent"    // nothing can have arrived
	Unknown  State = "unknown"   // bytes were sent, but no answer arrived
	Canceled State = "cancelled" // canceled by the user before it was complete
	// Processing means that the service accepted the upload (202) and stores it later. It is not sent
	// again; the result is found out later.
	Processing State = "processing"
)

// Final reports whether the state is an outcome.
func (s State) Final() bool { return s != Waiting && s != Sending && s != Offline }

// Open reports whether the result for the file is undecided: the job has no outcome, or waits for
// the service.
func (s State) Open() bool { return !s.Final() || s == Processing }

// Evidence says whether the file of a job may already be stored. It decides whether the job may be
// sent again, and its outcome.
type Evidence string

// The kinds of evidence. The zero value is NotSent.
const (
	// NotSent means that no attempt can have arrived.
	NotSent Evidence = ""
	// Orphaned means that an attempt may have arrived that is not in the journal: the program was
	// killed, or the service answered 503. Only jobs with a name made here are orphaned; all others
	// are journaled before the first byte is sent.
	Orphaned Evidence = "orphaned"
	// MaybeStored means that everything was sent, but no answer arrived.
	MaybeStored Evidence = "maybe stored"
	// SurelyStored means that the service confirmed it, or has the file.
	SurelyStored Evidence = "stored"
)

// Naming is how the name of the stored file is chosen.
type Naming string

// The three ways of naming.
const (
	NameHere    Naming = "here"    // made unique by us, so that a repeat never stores the file twice
	NameService Naming = "service" // the service adds a suffix
	NameExact   Naming = "off"     // exactly the given name
)

// ApplyNaming applies a way of naming to an upload. NameHere adds a new suffix to the file name, so
// call it once, before the job is journaled. It also sets overwriteFile to false; the other two do
// not change it.
func ApplyNaming(u *api.Upload, n Naming) {
	switch n {
	case NameHere:
		u.FileName = rule.UniqueName(u.FileName, rule.NewSuffix())
		u.UseUniqueFileName = api.Set(false)
		u.OverwriteFile = api.Set(false)
	case NameService:
		u.UseUniqueFileName = api.Field[bool]{}
	case NameExact:
		u.UseUniqueFileName = api.Set(false)
	}
}

// Job is an upload in the queue, from waiting to its outcome.
type Job struct {
	ID       int64        `json:"id"`      // set by the journal; 0 before
	Profile  string       `json:"profile"` // name of the profile
	Upload   api.Upload   `json:"upload"`  // with the unique name
	Naming   Naming       `json:"naming"`
	Identity api.Identity `json:"identity,omitzero"` // of the source; a URL has none, an Origin only the size
	State    State        `json:"state"`
	Attempts int          `json:"attempts"` // number of times it was sent
	Evidence Evidence     `json:"evidence,omitempty"`
	File     *api.File    `json:"file,omitempty"`
	Failure  *Failure     `json:"failure,omitempty"` // of the last attempt; may be nil
	Created  time.Time    `json:"created"`
	Updated  time.Time    `json:"updated"`
	Started  time.Time    `json:"started,omitzero"` // start of the first attempt; zero if none

	// Hash is the hash of the sent bytes, with its kind (see api.HashContent); empty before sending
	// and for URLs.
	Hash string `json:"hash,omitempty"`

	// JobWebhook adds an address of our receiver if there are extensions. The address is made for each
	// attempt and not stored here.
	JobWebhook bool   `json:"ownWebhook,omitempty"`
	Batch      string `json:"batch,omitempty"` // ID of the uploads that were queued together; may be empty

	// Lost lists properties of a file from another profile that are not sent, such as "2 AI tags".
	Lost []string `json:"lost,omitempty"`

	// Move says whether to delete the source in the other profile after the upload, and MoveError why it
	// was not deleted. With MoveAfter, the job has no outcome until that is decided.
	Move      Move   `json:"move,omitempty"`
	MoveError string `json:"kept,omitempty"`

	// Dismissed means that the user canceled the job or removed it from the list. It is sent again
	// only if the user asks for this job.
	Dismissed bool `json:"dismissed,omitempty"`
}

// IDs returns the ids of jobs.
func IDs(jobs []Job) []int64 {
	return rule.Mapped(jobs, func(j Job) int64 { return j.ID })
}

// Move says what happens to a source in another profile. The zero value keeps it.
type Move string

// The states of a move.
const (
	MoveAfter  Move = "after" // delete the source after reading and comparing the stored file
	MoveDone   Move = "done"  // the source was deleted
	MoveFailed Move = "kept"  // the source was not deleted, see Job.MoveError
)

// Reason returns the message of the failure without a leading source, or "".
func (j *Job) Reason() string {
	if j.Failure == nil {
		return ""
	}
	message := strings.TrimPrefix(j.Failure.Error(), strconv.Quote(j.Upload.Source.Path)+" ")
	return strings.TrimPrefix(message, api.Quote(j.Upload.Source.String())+" ")
}

// MayRepeat reports whether another attempt cannot store the file twice.
func (j *Job) MayRepeat() bool { return j.Evidence != MaybeStored || j.RepeatsSafely() }

// Failed reports whether the job has an outcome that another attempt could improve, and is not
// dismissed.
func (j *Job) Failed() bool {
	return !j.Dismissed && (j.State == Refused || j.State == Unsent || j.State == Unknown)
}

// MayResume reports whether the job continues by itself at the next start: its result is undecided,
// and another attempt cannot store the file twice.
func (j *Job) MayResume() bool { return j.Failed() && j.State != Refused && j.MayRepeat() }

// RepeatsSafely reports whether the job can be sent again without ever storing the file twice: the
// service keeps its name and overwrites nothing of that name (design.md §7).
func (j *Job) RepeatsSafely() bool {
	return !j.Upload.UseUniqueFileName.Or(true) && !j.Upload.OverwriteFile.Or(true)
}

// HasUniqueName reports whether the job has a unique name and overwrites nothing, so that an
// existing file of that name is its own.
func (j *Job) HasUniqueName() bool { return j.Naming == NameHere && j.RepeatsSafely() }

// Failure is a stored error.
type Failure struct {
	Status    int    `json:"status,omitempty"` // HTTP status; 0 without an answer
	Message   string `json:"message"`
	Help      string `json:"help,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// generic begins messages of the service that go on with what is wrong.
var generic = regexp.MustCompile(`^Your request contains invalid \S+ parameter\. (\S)`)

func (f *Failure) Error() string { return generic.ReplaceAllString(f.Message, "$1") }

// FailureOf converts an error, or nil, to a Failure.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Message: err.Error(), Help: api.Hint(err)}
	var answer *api.ServiceError
	var accepted *api.AcceptedError
	switch {
	case errors.As(err, &accepted):
		f.Status, f.RequestID = http.StatusAccepted, accepted.RequestID
	case errors.As(err, &answer):
		f.Status, f.Message, f.RequestID = answer.Status, answer.Message, answer.RequestID
		f.Help = cmp.Or(answer.Help, f.Help)
	}
	return f
}

// OutcomeOf returns the outcome of an attempt that ended with err, Stored for nil. A failure after
// the last byte was sent is Unknown.
func OutcomeOf(err error) State {
	var answer *api.ServiceError
	var send *api.SendError
	switch {
	case err == nil:
		return Stored
	case errors.Is(err, api.ErrNoRecord):
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
