package queue

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// exactKeep is the naming of jobs with an exact name that overwrite nothing.
const exactKeep = job.Naming("exact, nothing overwritten")

// claimed is what the queue claims about an upload with faults.
type claimed struct {
	naming   job.Naming
	faults   []fault
	noList   bool
	want     job.State
	attempts int
	copies   int
	record   bool
}

// TestWhatIsClaimed tries every fault with every naming.
func TestWhatIsClaimed(t *testing.T) {
	tests := []claimed{
		{job.NameHere, nil, false, job.Stored, 1, 1, true},
		{job.NameHere, []fault{dial, cut, early500}, false, job.Stored, 4, 1, true},
		{job.NameHere, []fault{lostAnswer}, false, job.Stored, 2, 1, true},
		{job.NameHere, []fault{lostAnswer}, true, job.Stored, 2, 1, false},
		{job.NameHere, []fault{lostBefore}, true, job.Stored, 2, 1, true},
		{job.NameHere, []fault{broken502, broken500, broken500}, false, job.Stored, 4, 1, true},
		{job.NameHere, []fault{noRecord}, true, job.Stored, 2, 1, false},
		{job.NameHere, []fault{later}, false, job.Processing, 1, 0, false},
		{job.NameHere, []fault{later}, true, job.Processing, 1, 0, false},
		{job.NameHere, []fault{sentTwice}, false, job.Stored, 1, 1, true},
		{job.NameHere, []fault{lost503}, true, job.Stored, 2, 1, false},
		{job.NameHere, []fault{busy503, slow429}, true, job.Stored, 3, 1, true},
		{job.NameHere, []fault{refused401}, false, job.Refused, 1, 0, false},
		{job.NameHere, []fault{refused400}, false, job.Refused, 1, 0, false},
		{job.NameHere, []fault{lostAnswer, refused401}, false, job.Stored, 2, 1, true},
		{job.NameHere, []fault{lostAnswer, refused401}, true, job.Unknown, 2, 1, false},
		{job.NameHere, []fault{lostBefore, refused400}, true, job.Unknown, 2, 0, false},
		{job.NameHere, []fault{lostBefore, refused400}, false, job.Refused, 2, 0, false},
		{job.NameHere, append(slices.Repeat([]fault{dial}, 20), lostAnswer), false, job.Stored, 22, 1, true},
		{job.NameHere, append([]fault{lostAnswer}, slices.Repeat([]fault{dial, cut, early500}, 6)...), true, job.Stored, 20, 1, false},
		{job.NameHere, slices.Repeat([]fault{lostBefore, broken500}, 10), false, job.Stored, 21, 1, true},
		{job.NameHere, slices.Repeat([]fault{slow429}, 10), false, job.Stored, 11, 1, true},
		{job.NameHere, slices.Repeat([]fault{early500}, 5), false, job.Refused, 5, 0, false},
		{job.NameService, slices.Repeat([]fault{dial, cut}, 10), false, job.Stored, 21, 1, true},
		{job.NameHere, []fault{busy503, busy503, busy503, busy503, busy503}, false, job.Refused, 5, 0, false},
		{job.NameHere, []fault{lost503, busy503, busy503, busy503, busy503}, false, job.Stored, 5, 1, true},

		{job.NameService, nil, false, job.Stored, 1, 1, true},
		{job.NameService, []fault{dial, cut, slow429, busy503}, false, job.Stored, 5, 1, true},
		{job.NameService, []fault{lostAnswer}, false, job.Unknown, 1, 1, false},
		{job.NameService, []fault{lostBefore}, false, job.Unknown, 1, 0, false},
		{job.NameService, []fault{broken500}, true, job.Unknown, 1, 0, false},
		{job.NameService, []fault{noRecord}, false, job.Unknown, 1, 1, false},

		{job.NameExact, []fault{cut}, false, job.Stored, 2, 1, true},
		{job.NameExact, []fault{lostAnswer}, false, job.Unknown, 1, 1, false},
		{job.NameExact, []fault{broken500}, true, job.Unknown, 1, 0, false},

		{exactKeep, []fault{lostAnswer}, false, job.Stored, 2, 1, true},
		{exactKeep, []fault{lostAnswer}, true, job.Unknown, 2, 1, false},
		{exactKeep, []fault{lostBefore}, true, job.Stored, 2, 1, true},
		{exactKeep, []fault{lostBefore, refused401}, false, job.Refused, 2, 0, false},
		{exactKeep, []fault{lostAnswer, refused401}, true, job.Unknown, 2, 1, false},
	}
	for _, tt := range tests {
		name := string(tt.naming)
		for _, f := range tt.faults {
			name += ", " + string(f)
		}
		if tt.noList {
			name += ", no listing"
		}
		t.Run(name, func(t *testing.T) { synctest.Test(t, tt.run) })
	}
}

func (tt claimed) run(t *testing.T) {
	s := newService(tt.faults...)
	s.noList = tt.noList
	n := newNotes()
	q := start(t, n, s)
	got := outcome(t, q, addAll(t, q, newJob("a.jpg", tt.naming))[0])
	if got.State != tt.want || got.Attempts != tt.attempts || s.copies("a") != tt.copies ||
		(got.File != nil) != tt.record {
		t.Errorf("%s after %d attempts, stored %d times, record %v; want %s, %d, %d, %v. Failure %+v",
			got.State, got.Attempts, s.copies("a"), got.File, tt.want, tt.attempts, tt.copies,
			tt.record, got.Failure)
	}
	if kept := n.job(got.ID); kept.State != got.State || kept.Evidence != got.Evidence {
		t.Errorf("the journal has %s, the queue %s", kept.State, got.State)
	}
	if (got.State != job.Stored || got.File == nil) && got.Failure == nil {
		t.Error("no failure to show")
	}
	if got.State == job.Unknown && got.Failure.Help == "" {
		t.Error("an unknown outcome has no help on how to find out")
	}
}

// TestTakenIsTakenByStatus: if the service does not list files, status 409 after an attempt without
// an answer means that this attempt stored the file. Status 400 has other reasons too, such as an
// address that cannot be downloaded.
func TestTakenIsTakenByStatus(t *testing.T) {
	for conflict, want := range map[bool]job.State{true: job.Stored, false: job.Unknown} {
		for _, f := range []fault{lostAnswer, noRecord, lost503} {
			synctest.Test(t, func(t *testing.T) {
				s := newService(f)
				s.noList, s.conflict, s.words = true, conflict, "Quota exceeded."
				q := start(t, newNotes(), s)
				got := outcome(t, q, addAll(t, q, newJob("a.jpg", job.NameHere))[0])
				if got.State != want || got.Attempts != 2 || s.copies("a") != 1 || got.Failure == nil ||
					got.Failure.Help == "" {
					t.Errorf("%s, conflict %v: %s after %d attempts, %+v", f, conflict, got.State, got.Attempts, got.Failure)
				}
			})
		}
	}
}

// TestDecide has a table of the next step for each state of knowledge.
func TestDecide(t *testing.T) {
	refused := func(status int) func(*job.Job) {
		return func(j *job.Job) { j.State, j.Failure = job.Refused, &job.Failure{Status: status} }
	}
	exists := func(j *job.Job) {
		j.State, j.Failure = job.Refused, &job.Failure{Status: 400, Message: "A file of that name exists."}
	}
	as := func(state job.State) func(*job.Job) { return func(j *job.Job) { j.State = state } }
	large := func(j *job.Job) { j.Identity.Size = checkFirst }
	same := func(*job.Job) {}
	const none, orphaned, maybe = job.NotSent, job.Orphaned, job.MaybeStored
	tests := []struct {
		naming   job.Naming
		change   func(*job.Job)
		goal     goal
		evidence job.Evidence
		presence presence
		want     Step
	}{
		// A repeat that cannot be stored twice.
		{job.NameHere, same, begin, none, notChecked, Send},
		{job.NameHere, same, begin, orphaned, notChecked, Send},
		{job.NameHere, same, begin, maybe, notChecked, Check},
		{job.NameHere, same, begin, maybe, isMissing, Send},
		{job.NameHere, same, begin, maybe, cannotCheck, Send},
		{job.NameHere, same, begin, maybe, isThere, ClaimStored},
		{job.NameHere, same, repeat, maybe, notChecked, Send},
		{job.NameHere, large, repeat, maybe, notChecked, Check},
		{job.NameHere, large, force, maybe, notChecked, Check},
		{job.NameHere, same, begin, job.SurelyStored, notChecked, ClaimStored},
		// A repeat that could be stored twice.
		{job.NameService, same, begin, none, notChecked, Send},
		{job.NameService, same, repeat, none, notChecked, Send},
		{job.NameService, same, begin, maybe, notChecked, Check},
		{job.NameService, same, repeat, maybe, isMissing, ClaimUnknown},
		{job.NameService, same, repeat, maybe, cannotCheck, ClaimUnknown},
		{job.NameService, same, repeat, maybe, noTime, Leave},
		{job.NameService, same, force, maybe, notChecked, Send},
		{job.NameExact, same, begin, maybe, notChecked, Check},
		// Outcomes: the file cannot have arrived.
		{job.NameHere, as(job.Unsent), claim, none, notChecked, Claim},
		{job.NameHere, as(job.Canceled), claim, none, notChecked, Claim},
		{job.NameHere, refused(401), claim, none, notChecked, Claim},
		{job.NameService, refused(400), claim, none, notChecked, Claim},
		// The file may have arrived.
		{job.NameHere, as(job.Unsent), claim, orphaned, notChecked, Check},
		{job.NameHere, as(job.Unsent), claim, orphaned, isMissing, Claim},
		{job.NameHere, as(job.Unsent), claim, orphaned, cannotCheck, ClaimUnknown},
		{job.NameHere, as(job.Unsent), claim, maybe, isMissing, Claim},
		{job.NameHere, as(job.Unsent), claim, maybe, cannotCheck, ClaimUnknown},
		{job.NameHere, as(job.Unsent), claim, maybe, checkFailed, Later},
		{job.NameExact, as(job.Unsent), claim, maybe, checkFailed, ClaimUnknown},
		{job.NameHere, as(job.Canceled), claim, maybe, checkFailed, ClaimUnknown},
		{job.NameHere, as(job.Unknown), claim, maybe, checkFailed, ClaimUnknown},
		{job.NameHere, as(job.Processing), claim, maybe, notChecked, Check},
		{job.NameHere, as(job.Processing), claim, maybe, isMissing, Claim},
		{job.NameHere, as(job.Processing), claim, maybe, checkFailed, Claim},
		{job.NameHere, as(job.Processing), claim, maybe, isThere, ClaimStored},
		{job.NameHere, as(job.Unsent), claim, maybe, noTime, Leave},
		{job.NameHere, as(job.Canceled), claim, maybe, noTime, ClaimUnknown},
		{job.NameHere, refused(401), claim, maybe, isMissing, Claim},
		{job.NameHere, refused(401), claim, maybe, checkFailed, Later},
		{job.NameService, refused(400), claim, maybe, cannotCheck, ClaimUnknown},
		// A refusal that may mean that the name exists.
		{job.NameHere, refused(400), claim, none, notChecked, Check},
		{job.NameHere, refused(409), claim, none, notChecked, Check},
		{job.NameHere, refused(400), claim, none, isThere, ClaimStored},
		{job.NameHere, refused(400), claim, none, isMissing, Claim},
		{job.NameHere, refused(400), claim, none, cannotCheck, Claim},
		{job.NameHere, refused(409), claim, none, cannotCheck, Claim},
		{job.NameHere, refused(400), claim, none, noTime, Leave},
		{job.NameHere, refused(400), claim, maybe, isMissing, Claim},
		{job.NameHere, refused(400), claim, maybe, cannotCheck, ClaimUnknown},
		{job.NameHere, refused(409), claim, maybe, cannotCheck, ClaimStored},
		{job.NameHere, refused(409), claim, maybe, isMissing, ClaimStored},
		{job.NameHere, refused(409), claim, maybe, checkFailed, Later},
		{job.NameHere, exists, claim, maybe, cannotCheck, ClaimStored},
		{job.NameHere, exists, claim, orphaned, cannotCheck, ClaimStored},
		{job.NameHere, exists, claim, none, cannotCheck, Claim},
		{job.NameExact, exists, claim, maybe, cannotCheck, ClaimUnknown},
		// An exact name that overwrites nothing: the content says whose file it is.
		{exactKeep, same, begin, maybe, notChecked, Send},
		{exactKeep, exists, claim, none, notChecked, Claim},
		{exactKeep, exists, claim, maybe, notChecked, Check},
		{exactKeep, exists, claim, maybe, isThere, ClaimStored},
		{exactKeep, exists, claim, maybe, isOther, Claim},
		{exactKeep, exists, claim, maybe, cannotCheck, ClaimUnknown},
		{exactKeep, exists, claim, maybe, checkFailed, Later},
		{exactKeep, refused(401), claim, maybe, isMissing, Claim},
		{exactKeep, as(job.Canceled), claim, maybe, isOther, Claim},
		{exactKeep, as(job.Unknown), claim, maybe, isOther, ClaimUnknown},
		{job.NameHere, refused(409), claim, orphaned, cannotCheck, ClaimStored},
	}
	for _, tt := range tests {
		j := newJob("a.jpg", tt.naming)
		tt.change(&j)
		mediatest.Equal(t, decide(&j, tt.goal, tt.evidence, tt.presence), tt.want, "%+v: step", tt)
	}
}

// TestSomebodyElsesFile: if the exact name existed before, "exists" proves nothing, even after an
// attempt without an answer.
func TestSomebodyElsesFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService()
		s.store(&api.Upload{FileName: "a.jpg", UseUniqueFileName: api.Set(false)})
		time.Sleep(time.Hour)
		s.faults = []fault{lostBefore}
		q := start(t, newNotes(), s)
		j := newJob("a.jpg", exactKeep)
		got := outcome(t, q, addAll(t, q, j)[0])
		if got.State != job.Unknown || !strings.Contains(got.Failure.Help, "It may be another one") {
			t.Errorf("%s, %+v", got.State, got.Failure)
		}
		first := newService()
		first.store(&api.Upload{FileName: "a.jpg", UseUniqueFileName: api.Set(false)})
		q = start(t, newNotes(), first)
		if got := outcome(t, q, addAll(t, q, j)[0]); got.State != job.Refused || got.Failure.Status != 400 {
			t.Errorf("after a refusal of the first attempt the job is %s", got.State)
		}
	})
}

// TestWaitsAsAsked: the whole queue waits for as long as the service requests.
func TestWaitsAsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(slow429)
		s.wait = 90 * time.Second
		q := start(t, newNotes(), s, func(o *Options) { o.Concurrency = 1 })
		began := time.Now()
		ids := addAll(t, q, newJobs(job.NameHere, "a.jpg", "b.jpg", "c.jpg")...)
		_, err := q.Wait(t.Context(), ids)
		must(t, err)
		for i, at := range s.at[1:] {
			if at.Sub(began) < s.wait {
				t.Errorf("attempt %d came after %s", i+2, at.Sub(began))
			}
		}
	})
}

// TestAfterAKill resumes jobs in the state in which a killed program leaves them.
func TestAfterAKill(t *testing.T) {
	tests := []struct {
		naming job.Naming
		stored bool
		noList bool
		want   job.State
		sent   int
		words  string
	}{
		{job.NameHere, true, false, job.Stored, 0, ""},
		{job.NameHere, true, true, job.Stored, 1, "refused to store it again"},
		{job.NameHere, false, true, job.Stored, 1, ""},
		{job.NameService, true, false, job.Unknown, 0, "probably this file"},
		{job.NameService, false, false, job.Unknown, 0, "shows no new file"},
		{job.NameService, true, true, job.Unknown, 0, "does not list"},
		{job.NameExact, true, false, job.Unknown, 0, "one more version"},
		{job.NameExact, false, false, job.Unknown, 0, "does not show"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s, n := newService(), newNotes()
			left := newJob("a.jpg", tt.naming)
			added, _ := n.AddJobs(t.Context(), []job.Job{left})
			left = added[0]
			left.State, left.Attempts, left.Evidence = job.Sending, 1, job.MaybeStored
			n.UpdateJob(t.Context(), left)
			n.Release(t.Context(), []int64{left.ID})
			if tt.stored {
				s.store(&left.Upload)
			}
			s.noList = tt.noList
			q := start(t, n, s)
			got := outcome(t, q, left.ID)
			copies := 0
			if tt.stored || tt.want == job.Stored {
				copies = 1
			}
			if got.State != tt.want || s.sent(left.Upload.FileName) != tt.sent || s.copies("a") != copies {
				t.Errorf("%+v: %s, sent %d times, %d copies: %+v", tt, got.State, s.sent(left.Upload.FileName), s.copies("a"), got.Failure)
			}
			if tt.words != "" && !strings.Contains(got.Failure.Help, tt.words) {
				t.Errorf("%+v: help %q", tt, got.Failure.Help)
			}
		})
	}
}
