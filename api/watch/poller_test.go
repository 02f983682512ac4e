package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// shelf has the files of a service, and counts the requests.
type shelf struct {
	mu    sync.Mutex
	files map[string]*api.File
	err   error
	asked []time.Time
}

func (s *shelf) details(_ context.Context, id string) (*api.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, time.Now())
	return s.files[id], s.err
}

func (s *shelf) set(f *api.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[f.FileID] = f
}

func (s *shelf) times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func TestLearningByEffects(t *testing.T) {
	const tag = `{"name":"sky","confidence":90,"source":"google-auto-tagging"}`
	tests := []struct {
		name, extension, then, now string
		want                       api.Status
	}{
		{"tags came", "google-auto-tagging", `"AITags":null`, `"AITags":[` + tag + `]`, api.StatusSuccess},
		{"tags, none before", "google-auto-tagging", `"size":1`, `"AITags":[` + tag + `]`, api.StatusSuccess},
		{"tags of another extension", "aws-auto-tagging", `"AITags":null`, `"AITags":[` + tag + `]`, api.StatusPending},
		{"tags that were there before", "google-auto-tagging", `"AITags":[` + tag + `]`, `"AITags":[` + tag + `]`, api.StatusPending},
		{"no tags", "google-auto-tagging", `"AITags":null`, `"AITags":null`, api.StatusPending},
		{"another version", "remove-bg", `"versionInfo":{"id":"1"}`, `"versionInfo":{"id":"2"}`, api.StatusSuccess},
		{"the same version", "remove-bg", `"versionInfo":{"id":"1"}`, `"versionInfo":{"id":"1"}`, api.StatusPending},
		{"a version, none before", "remove-bg", `"size":1`, `"versionInfo":{"id":"1"}`, api.StatusPending},
		{"newly transparent", "remove-bg", `"hasAlpha":false`, `"hasAlpha":true`, api.StatusSuccess},
		{"transparent all the time", "remove-bg", `"hasAlpha":true`, `"hasAlpha":true`, api.StatusPending},
		{"transparency not known before", "remove-bg", `"size":1`, `"hasAlpha":true`, api.StatusPending},
		{"a description", "ai-auto-description", `"size":1`, `"description":"A sky."`, api.StatusSuccess},
		{"a tag of a task", "ai-tasks", `"tags":null`, `"tags":["boat"]`, api.StatusSuccess},
		{"a tag of no task", "ai-tasks", `"tags":null`, `"tags":["mine"]`, api.StatusPending},
		{"something unknown", "ai-tasks", `"versionInfo":{"id":"1"}`, `"versionInfo":{"id":"2"},"hasAlpha":true`, api.StatusPending},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, m := &shelf{files: map[string]*api.File{}}, newJournal(t)
				then := record(t, fmt.Sprintf(`{"fileId":"f",%s,"extensionStatus":{%q:"pending"}}`, tt.then, tt.extension))
				s.set(then)
				w := start(t, Options{Journal: m, Listen: "off", Details: s.details})
				list, err := rule.ParseExtensions(fmt.Sprintf(`[{"name":%q,"minConfidence":1,"maxTags":5,"tasks":[{"type":"select_tags","instruction":"?","vocabulary":["boat"]}]}]`, tt.extension))
				must(t, err)
				must(t, w.Requested(t.Context(), "home", "f", list, "", then))
				time.Sleep(time.Minute)
				if got := theRun(t, m).Status; got != api.StatusPending {
					t.Fatalf("%s before anything happened, want %v", got, api.StatusPending)
				}
				now := record(t, fmt.Sprintf(`{"fileId":"f",%s}`, tt.now))
				s.set(now)
				time.Sleep(2 * time.Minute)
				run := theRun(t, m)
				if run.Status != tt.want {
					t.Errorf("%s, want %s", run.Status, tt.want)
				}
				if seen, _ := lastSeen(t, m, "f"); string(seen.Raw) != string(now.Raw) {
					t.Error("the record was not stored")
				}
				if run.Status == api.StatusSuccess && run.From != job.FromDetails {
					t.Errorf("known from %q", run.From)
				}
			})
		})
	}
}

// TestLooksLessAndLessOften: the first poll is after 2 s, the pauses double up to a minute, and polling
// ends.
func TestLooksLessAndLessOften(t *testing.T) {
	mediatest.SkipRacing(t) // 31 hours of polls, one after the other
	mediatest.OnlyWithEverything(t)
	synctest.Test(t, func(t *testing.T) {
		f := record(t, `{"fileId":"f","extensionStatus":{"remove-bg":"pending","google-auto-tagging":"pending","x":"success"}}`)
		s, m := &shelf{files: map[string]*api.File{"f": f}}, newJournal(t)
		w := start(t, Options{Journal: m, Listen: "off", Details: s.details})
		began := time.Now()
		must(t, w.Answered(t.Context(), "home", f, false))
		synctest.Wait()
		if at, ok, _ := w.NextPoll("f"); !ok || at.Sub(began) > 4*time.Second {
			t.Errorf("next check %s, %v", at, ok)
		}
		time.Sleep(5 * time.Minute)
		want := []time.Duration{2, 6, 14, 30, 62, 122, 182, 242}
		asked := s.times()
		if len(asked) < len(want) {
			t.Fatalf("asked %d times", len(asked))
		}
		for i, at := range asked[:len(want)] {
			if off := at.Sub(began) - want[i]*time.Second; off < 0 || off > time.Duration(i+1)*time.Second {
				t.Errorf("look %d after %s, want about %ds", i+1, at.Sub(began), want[i])
			}
		}
		time.Sleep(30 * time.Hour)
		before := len(s.times())
		time.Sleep(time.Hour)
		if n := len(s.times()); n != before {
			t.Errorf("asked %d times more after everything is over", n-before)
		}
		if _, ok, _ := w.NextPoll("f"); ok {
			t.Error("a next check is promised")
		}
		if run := theRun(t, m); run.Status != api.StatusPending {
			t.Errorf("an end was made up: %+v", run)
		}
	})
}

func TestServicesThatShowNothing(t *testing.T) {
	gone := &api.ServiceError{Status: 404, Message: "not found", Complete: true}
	for name, tt := range map[string]struct {
		err   error
		asked int
	}{
		"unavailable": {gone, maxMissing},
		"broken":      {errors.New("no connection"), 8},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, m := &shelf{files: map[string]*api.File{}, err: tt.err}, newJournal(t)
				w := start(t, Options{Journal: m, Listen: "off", Details: s.details})
				must(t, w.Answered(t.Context(), "home", record(t, `{"fileId":"f","extensionStatus":{"remove-bg":"pending"}}`), false))
				time.Sleep(5 * time.Minute)
				if n := len(s.times()); n != tt.asked {
					t.Errorf("asked %d times, want %d", n, tt.asked)
				}
				if _, ok, _ := w.NextPoll("f"); ok != (tt.asked != maxMissing) {
					t.Errorf("next check: %v", ok)
				}
				if run := theRun(t, m); run.Status != api.StatusPending {
					t.Errorf("an end was made up: %+v", run)
				}
			})
		})
	}
}

// TestAnotherProgramsChanges: changes by another program are noticed within seconds.
func TestAnotherProgramsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newJournal(t)
		w := start(t, Options{Journal: m, Listen: "off"})
		time.Sleep(time.Minute)
		select {
		case <-w.Changes():
			t.Error("an edge without a change")
		default:
		}
		began := time.Now()
		m.AddRuns(t.Context(), []job.Run{{FileID: "f", Extension: "x", Status: api.StatusPending}})
		<-w.Changes()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestRunsKeepsEveryPendingOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newJournal(t)
		runs := []job.Run{{Profile: "home", FileID: "first", Extension: "x", Status: api.StatusPending}}
		for n := range 1500 {
			runs = append(runs, job.Run{
				Profile: "home", FileID: fmt.Sprint(n), Extension: "x", Status: api.StatusSuccess,
			})
		}
		runs = append(runs,
			job.Run{Profile: "home", FileID: "last", Extension: "x", Status: api.StatusPending})
		m.AddRuns(t.Context(), runs)
		w := start(t, Options{Journal: m, Listen: "off"})
		got, err := w.Runs(t.Context())
		if err != nil || len(got) != 1001 || got[0].FileID != "first" || got[1000].FileID != "last" {
			t.Errorf("%d runs, %v", len(got), err)
		}
	})
}

// TestManyRunsAskLittle: hundreds of pending runs do not overload a service, and a service that limits
// requests gets none meanwhile.
func TestManyRunsAskLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := &shelf{files: map[string]*api.File{}}, newJournal(t)
		var runs []job.Run
		files := mediatest.Rounds(100, 500)
		for n := range files {
			id := fmt.Sprint("f", n)
			f := record(t, fmt.Sprintf(`{"fileId":%q}`, id))
			s.set(f)
			runs = append(runs, job.Run{
				Profile: "home", FileID: id, Extension: "remove-bg", Status: api.StatusPending, Started: time.Now(),
				Answer: f,
			})
		}
		m.AddRuns(t.Context(), runs)
		start(t, Options{Journal: m, Listen: "off", Details: s.details})
		time.Sleep(5 * time.Minute)
		asked := s.times()
		perSecond := map[int64]int{}
		for _, at := range asked {
			perSecond[at.Unix()]++
		}
		for second, n := range perSecond {
			if n > 2*maxPolls {
				t.Errorf("%d looks within second %d", n, second)
			}
		}
		if len(asked) < files*6/5 {
			t.Errorf("only %d looks at %d files", len(asked), files)
		}
		s.mu.Lock()
		s.err = &api.ServiceError{Status: 429, RetryDelay: 10 * time.Minute, Complete: true}
		s.mu.Unlock()
		time.Sleep(time.Minute) // a poll of each is due
		before := len(s.times())
		time.Sleep(8 * time.Minute)
		if n := len(s.times()) - before; n != 0 {
			t.Errorf("sent %d requests although the service limits them, want 0", n)
		}
	})
}
