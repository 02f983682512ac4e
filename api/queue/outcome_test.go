package queue

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api"
)

// exactKeep is the naming of jobs with an exact name that overwrite nothing.
const exactKeep = api.Naming("exact, nothing overwritten")

// TestWhatIsClaimed tries every fault with every naming.
func TestWhatIsClaimed(t *testing.T) {
	tests := []struct {
		naming   api.Naming
		faults   []fault
		noList   bool
		want     api.State
		attempts int
		copies   int
		record   bool
	}{
		{api.NameHere, nil, false, api.Stored, 1, 1, true},
		{api.NameHere, []fault{dial, cut, early500}, false, api.Stored, 4, 1, true},
		{api.NameHere, []fault{lostAnswer}, false, api.Stored, 2, 1, true},
		{api.NameHere, []fault{lostAnswer}, true, api.Stored, 2, 1, false},
		{api.NameHere, []fault{lostBefore}, true, api.Stored, 2, 1, true},
		{api.NameHere, []fault{broken502, broken500, broken500}, false, api.Stored, 4, 1, true},
		{api.NameHere, []fault{noRecord}, true, api.Stored, 2, 1, false},
		{api.NameHere, []fault{later}, false, api.Processing, 1, 0, false},
		{api.NameHere, []fault{later}, true, api.Processing, 1, 0, false},
		{api.NameHere, []fault{sentTwice}, false, api.Stored, 1, 1, true},
		{api.NameHere, []fault{lost503}, true, api.Stored, 2, 1, false},
		{api.NameHere, []fault{busy503, slow429}, true, api.Stored, 3, 1, true},
		{api.NameHere, []fault{refused401}, false, api.Refused, 1, 0, false},
		{api.NameHere, []fault{refused400}, false, api.Refused, 1, 0, false},
		{api.NameHere, []fault{lostAnswer, refused401}, false, api.Stored, 2, 1, true},
		{api.NameHere, []fault{lostAnswer, refused401}, true, api.Unknown, 2, 1, false},
		{api.NameHere, []fault{lostBefore, refused400}, true, api.Unknown, 2, 0, false},
		{api.NameHere, []fault{lostBefore, refused400}, false, api.Refused, 2, 0, false},
		{api.NameHere, append(slices.Repeat([]fault{dial}, 20), lostAnswer), false, api.Stored, 22, 1, true},
		{api.NameHere, append([]fault{lostAnswer}, slices.Repeat([]fault{dial, cut, early500}, 6)...), true, api.Stored, 20, 1, false},
		{api.NameHere, slices.Repeat([]fault{lostBefore, broken500}, 10), false, api.Stored, 21, 1, true},
		{api.NameHere, slices.Repeat([]fault{slow429}, 10), false, api.Stored, 11, 1, true},
		{api.NameHere, slices.Repeat([]fault{early500}, 5), false, api.Refused, 5, 0, false},
		{api.NameService, slices.Repeat([]fault{dial, cut}, 10), false, api.Stored, 21, 1, true},
		{api.NameHere, []fault{busy503, busy503, busy503, busy503, busy503}, false, api.Refused, 5, 0, false},
		{api.NameHere, []fault{lost503, busy503, busy503, busy503, busy503}, false, api.Stored, 5, 1, true},

		{api.NameService, nil, false, api.Stored, 1, 1, true},
		{api.NameService, []fault{dial, cut, slow429, busy503}, false, api.Stored, 5, 1, true},
		{api.NameService, []fault{lostAnswer}, false, api.Unknown, 1, 1, false},
		{api.NameService, []fault{lostBefore}, false, api.Unknown, 1, 0, false},
		{api.NameService, []fault{broken500}, true, api.Unknown, 1, 0, false},
		{api.NameService, []fault{noRecord}, false, api.Unknown, 1, 1, false},

		{api.NameExact, []fault{cut}, false, api.Stored, 2, 1, true},
		{api.NameExact, []fault{lostAnswer}, false, api.Unknown, 1, 1, false},
		{api.NameExact, []fault{broken500}, true, api.Unknown, 1, 0, false},

		{exactKeep, []fault{lostAnswer}, false, api.Stored, 2, 1, true},
		{exactKeep, []fault{lostAnswer}, true, api.Unknown, 2, 1, false},
		{exactKeep, []fault{lostBefore}, true, api.Stored, 2, 1, true},
		{exactKeep, []fault{lostBefore, refused401}, false, api.Refused, 2, 0, false},
		{exactKeep, []fault{lostAnswer, refused401}, true, api.Unknown, 2, 1, false},
	}
	for _, tt := range tests {
		name := string(tt.naming)
		for _, f := range tt.faults {
			name += ", " + string(f)
		}
		if tt.noList {
			name += ", no listing"
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newService(tt.faults...)
				s.noList = tt.noList
				n := newNotes()
				q := start(t, n, s)
				got := outcome(t, q, addAll(t, q, job("a.jpg", tt.naming))[0])
				if got.State != tt.want || got.Attempts != tt.attempts || s.copies("a") != tt.copies || (got.File != nil) != tt.record {
					t.Errorf("%s after %d attempts, stored %d times, record %v; want %s, %d, %d, %v. Failure %+v",
						got.State, got.Attempts, s.copies("a"), got.File, tt.want, tt.attempts, tt.copies, tt.record, got.Failure)
				}
				if kept := n.job(got.ID); kept.State != got.State || kept.Evidence != got.Evidence {
					t.Errorf("the journal has %s, the queue %s", kept.State, got.State)
				}
				if (got.State != api.Stored || got.File == nil) && got.Failure == nil {
					t.Error("no failure to show")
				}
				if got.State == api.Unknown && got.Failure.Help == "" {
					t.Error("an unknown outcome has no help on how to find out")
				}
			})
		})
	}
}

// TestTakenIsTakenByStatus: if the service does not list files, status 409 after an attempt without
// an answer means that this attempt stored the file. Status 400 has other reasons too, such as an
// address that cannot be downloaded.
func TestTakenIsTakenByStatus(t *testing.T) {
	for conflict, want := range map[bool]api.State{true: api.Stored, false: api.Unknown} {
		for _, f := range []fault{lostAnswer, noRecord, lost503} {
			synctest.Test(t, func(t *testing.T) {
				s := newService(f)
				s.noList, s.conflict, s.words = true, conflict, "Quota exceeded."
				q := start(t, newNotes(), s)
				got := outcome(t, q, addAll(t, q, job("a.jpg", api.NameHere))[0])
				if got.State != want || got.Attempts != 2 || s.copies("a") != 1 || got.Failure == nil || got.Failure.Help == "" {
					t.Errorf("%s, conflict %v: %s after %d attempts, %+v", f, conflict, got.State, got.Attempts, got.Failure)
				}
			})
		}
	}
}

// TestDecide has a table of the next step for each state of knowledge.
func TestDecide(t *testing.T) {
	refused := func(status int) func(*api.Job) {
		return func(j *api.Job) { j.State, j.Failure = api.Refused, &api.Failure{Status: status} }
	}
	exists := func(j *api.Job) {
		j.State, j.Failure = api.Refused, &api.Failure{Status: 400, Message: "A file of that name exists."}
	}
	as := func(state api.State) func(*api.Job) { return func(j *api.Job) { j.State = state } }
	large := func(j *api.Job) { j.Identity.Size = checkFirst }
	same := func(*api.Job) {}
	const none, orphaned, maybe = api.NotSent, api.Orphaned, api.MaybeStored
	tests := []struct {
		naming   api.Naming
		change   func(*api.Job)
		goal     goal
		evidence api.Evidence
		presence presence
		want     Step
	}{
		// A repeat that cannot be stored twice.
		{api.NameHere, same, begin, none, notChecked, Send},
		{api.NameHere, same, begin, orphaned, notChecked, Send},
		{api.NameHere, same, begin, maybe, notChecked, Check},
		{api.NameHere, same, begin, maybe, isMissing, Send},
		{api.NameHere, same, begin, maybe, cannotCheck, Send},
		{api.NameHere, same, begin, maybe, isThere, ClaimStored},
		{api.NameHere, same, repeat, maybe, notChecked, Send},
		{api.NameHere, large, repeat, maybe, notChecked, Check},
		{api.NameHere, large, force, maybe, notChecked, Check},
		{api.NameHere, same, begin, api.SurelyStored, notChecked, ClaimStored},
		// A repeat that could be stored twice.
		{api.NameService, same, begin, none, notChecked, Send},
		{api.NameService, same, repeat, none, notChecked, Send},
		{api.NameService, same, begin, maybe, notChecked, Check},
		{api.NameService, same, repeat, maybe, isMissing, ClaimUnknown},
		{api.NameService, same, repeat, maybe, cannotCheck, ClaimUnknown},
		{api.NameService, same, repeat, maybe, noTime, Leave},
		{api.NameService, same, force, maybe, notChecked, Send},
		{api.NameExact, same, begin, maybe, notChecked, Check},
		// Outcomes: the file cannot have arrived.
		{api.NameHere, as(api.Unsent), claim, none, notChecked, Claim},
		{api.NameHere, as(api.Cancelled), claim, none, notChecked, Claim},
		{api.NameHere, refused(401), claim, none, notChecked, Claim},
		{api.NameService, refused(400), claim, none, notChecked, Claim},
		// The file may have arrived.
		{api.NameHere, as(api.Unsent), claim, orphaned, notChecked, Check},
		{api.NameHere, as(api.Unsent), claim, orphaned, isMissing, Claim},
		{api.NameHere, as(api.Unsent), claim, orphaned, cannotCheck, ClaimUnknown},
		{api.NameHere, as(api.Unsent), claim, maybe, isMissing, Claim},
		{api.NameHere, as(api.Unsent), claim, maybe, cannotCheck, ClaimUnknown},
		{api.NameHere, as(api.Unsent), claim, maybe, checkFailed, Later},
		{api.NameExact, as(api.Unsent), claim, maybe, checkFailed, ClaimUnknown},
		{api.NameHere, as(api.Cancelled), claim, maybe, checkFailed, ClaimUnknown},
		{api.NameHere, as(api.Unknown), claim, maybe, checkFailed, ClaimUnknown},
		{api.NameHere, as(api.Processing), claim, maybe, notChecked, Check},
		{api.NameHere, as(api.Processing), claim, maybe, isMissing, Claim},
		{api.NameHere, as(api.Processing), claim, maybe, checkFailed, Claim},
		{api.NameHere, as(api.Processing), claim, maybe, isThere, ClaimStored},
		{api.NameHere, as(api.Unsent), claim, maybe, noTime, Leave},
		{api.NameHere, as(api.Cancelled), claim, maybe, noTime, ClaimUnknown},
		{api.NameHere, refused(401), claim, maybe, isMissing, Claim},
		{api.NameHere, refused(401), claim, maybe, checkFailed, Later},
		{api.NameService, refused(400), claim, maybe, cannotCheck, ClaimUnknown},
		// A refusal that may mean that the name exists.
		{api.NameHere, refused(400), claim, none, notChecked, Check},
		{api.NameHere, refused(409), claim, none, notChecked, Check},
		{api.NameHere, refused(400), claim, none, isThere, ClaimStored},
		{api.NameHere, refused(400), claim, none, isMissing, Claim},
		{api.NameHere, refused(400), claim, none, cannotCheck, Claim},
		{api.NameHere, refused(409), claim, none, cannotCheck, Claim},
		{api.NameHere, refused(400), claim, none, noTime, Leave},
		{api.NameHere, refused(400), claim, maybe, isMissing, Claim},
		{api.NameHere, refused(400), claim, maybe, cannotCheck, ClaimUnknown},
		{api.NameHere, refused(409), claim, maybe, cannotCheck, ClaimStored},
		{api.NameHere, refused(409), claim, maybe, isMissing, ClaimStored},
		{api.NameHere, refused(409), claim, maybe, checkFailed, Later},
		{api.NameHere, exists, claim, maybe, cannotCheck, ClaimStored},
		{api.NameHere, exists, claim, orphaned, cannotCheck, ClaimStored},
		{api.NameHere, exists, claim, none, cannotCheck, Claim},
		{api.NameExact, exists, claim, maybe, cannotCheck, ClaimUnknown},
		// An exact name that overwrites nothing: the content says whose file it is.
		{exactKeep, same, begin, maybe, notChecked, Send},
		{exactKeep, exists, claim, none, notChecked, Claim},
		{exactKeep, exists, claim, maybe, notChecked, Check},
		{exactKeep, exists, claim, maybe, isThere, ClaimStored},
		{exactKeep, exists, claim, maybe, isOther, Claim},
		{exactKeep, exists, claim, maybe, cannotCheck, ClaimUnknown},
		{exactKeep, exists, claim, maybe, checkFailed, Later},
		{exactKeep, refused(401), claim, maybe, isMissing, Claim},
		{exactKeep, as(api.Cancelled), claim, maybe, isOther, Claim},
		{exactKeep, as(api.Unknown), claim, maybe, isOther, ClaimUnknown},
		{api.NameHere, refused(409), claim, orphaned, cannotCheck, ClaimStored},
	}
	for _, tt := range tests {
		j := job("a.jpg", tt.naming)
		tt.change(&j)
		if got := decide(&j, tt.goal, tt.evidence, tt.presence); got != tt.want {
			t.Errorf("%+v: step %d, want %v", tt, got, tt.want)
		}
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
		j := job("a.jpg", exactKeep)
		got := outcome(t, q, addAll(t, q, j)[0])
		if got.State != api.Unknown || !strings.Contains(got.Failure.Help, "It may be another one") {
			t.Errorf("%s, %+v", got.State, got.Failure)
		}
		first := newService()
		first.store(&api.Upload{FileName: "a.jpg", UseUniqueFileName: api.Set(false)})
		q = start(t, newNotes(), first)
		if got := outcome(t, q, addAll(t, q, j)[0]); got.State != api.Refused || got.Failure.Status != 400 {
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
		ids := addAll(t, q, job("a.jpg", api.NameHere), job("b.jpg", api.NameHere), job("c.jpg", api.NameHere))
		if _, err := q.Wait(t.Context(), ids); err != nil {
			t.Fatal(err)
		}
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
		naming api.Naming
		stored bool
		noList bool
		want   api.State
		sent   int
		words  string
	}{
		{api.NameHere, true, false, api.Stored, 0, ""},
		{api.NameHere, true, true, api.Stored, 1, "refused to store it again"},
		{api.NameHere, false, true, api.Stored, 1, ""},
		{api.NameService, true, false, api.Unknown, 0, "probably this file"},
		{api.NameService, false, false, api.Unknown, 0, "shows no new file"},
		{api.NameService, true, true, api.Unknown, 0, "does not list"},
		{api.NameExact, true, false, api.Unknown, 0, "one more version"},
		{api.NameExact, false, false, api.Unknown, 0, "does not show"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s, n := newService(), newNotes()
			left := job("a.jpg", tt.naming)
			added, _ := n.AddJobs(t.Context(), []api.Job{left})
			left = added[0]
			left.State, left.Attempts, left.Evidence = api.Sending, 1, api.MaybeStored
			n.UpdateJob(t.Context(), left)
			n.Release(t.Context(), []int64{left.ID})
			if tt.stored {
				s.store(&left.Upload)
			}
			s.noList = tt.noList
			q := start(t, n, s)
			got := outcome(t, q, left.ID)
			copies := 0
			if tt.stored || tt.want == api.Stored {
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
