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
)

// shelf has the files of a service, and counts the requests.
type shelf struct {
	mu    sync.Mutex
	files map[string]*api.File
	err   error
	asked []time.Time
}

func (s *shelf) details(_ context.Context, _, id string) (*api.File, error) {
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
				s, m := &shelf{files: map[string]*api.File{}}, newMemory()
				then := record(t, fmt.Sprintf(`{"fileId":"f",%s,"extensionStatus":{%q:"pending"}}`, tt.then, tt.extension))
				s.set(then)
				w := start(t, Options{Journal: m, Listen: "off", Details: s.details})
				list, err := api.ParseExtensions(fmt.Sprintf(`[{"name":%q,"minConfidence":1,"maxTags":5,"tasks":[{"type":"select_tags","instruction":"?","vocabulary":["boat"]}]}]`, tt.extension))
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Asked(t.Context(), "home", "f", list, "", then); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if got := m.run(1).Status; got != api.StatusPending {
					t.Fatalf("%s before anything happened, want %v", got, api.StatusPending)
				}
				now := record(t, fmt.Sprintf(`{"fileId":"f",%s}`, tt.now))
				s.set(now)
				time.Sleep(2 * time.Minute)
				run := m.run(1)
				if run.Status != tt.want {
					t.Errorf("%s, want %s", run.Status, tt.want)
				}
				if seen, _ := m.lastSeen(); string(seen.Raw) != string(now.Raw) {
					t.Error("the record was not stored")
				}
				if run.Status == api.StatusSuccess && run.From != api.FromDetails {
					t.Errorf("known from %q", run.From)
				}
			})
		})
	}
}

// TestLooksLessAndLessOften: the first poll is after 2 s, the pauses double up to a minute, and polling
// ends.
func TestLooksLessAndLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := record(t, `{"fileId":"f","extensionStatus":{"remove-bg":"pending","google-auto-tagging":"pending","x":"success"}}`)
		s, m := &shelf{files: map[string]*api.File{"f": f}}, newMemory()
		w := start(t, Options{Journal: m, Listen: "off", Details: s.details})
		began := time.Now()
		if err := w.Answered(t.Context(), "home", f, false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if at, ok := w.NextCheck(1); !ok || at.Sub(began) > 4*time.Second {
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
		if _, ok := w.NextCheck(1); ok {
			t.Error("a next check is promised")
		}
		if run := m.run(1); run.Status != api.StatusPending {
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
				s, m := &shelf{files: map[string]*api.File{}, err: tt.err}, newMemory()
				w := start(t, Options{Journal: m, Listen: "off", Details: s.details})
				if err := w.Answered(t.Context(), "home", record(t, `{"fileId":"f","extensionStatus":{"remove-bg":"pending"}}`), false); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Minute)
				if n := len(s.times()); n != tt.asked {
					t.Errorf("asked %d times, want %d", n, tt.asked)
				}
				if _, ok := w.NextCheck(1); ok != (tt.asked != maxMissing) {
					t.Errorf("next check: %v", ok)
				}
				if run := m.run(1); run.Status != api.StatusPending {
					t.Errorf("an end was made up: %+v", run)
				}
			})
		})
	}
}

func TestWithoutDetailsNothingIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		w := start(t, Options{Journal: m, Listen: "off"})
		if err := w.Answered(t.Context(), "home", record(t, `{"fileId":"f","extensionStatus":{"a":"pending","b":"failed"}}`), false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		runs, err := w.Runs(t.Context())
		if err != nil || len(runs) != 2 || runs[0].Status != api.StatusPending || runs[1].Status != api.StatusFailed || runs[0].From != api.FromAnswer {
			t.Errorf("%+v, %v", runs, err)
		}
		for _, f := range []*api.File{nil, {}, {FileID: "x"}} {
			if err := w.Answered(t.Context(), "home", f, false); err != nil {
				t.Error(err)
			}
		}
		if runs, _ := w.Runs(t.Context()); len(runs) != 2 {
			t.Errorf("%d runs, want 2", len(runs))
		}
		if _, err := w.Address(t.Context(), 1, "home"); !errors.Is(err, ErrNoReceiver) {
			t.Errorf("an address without a receiver: %v", err)
		}
	})
}

// TestAnotherProgramsChanges: changes by another program are noticed within seconds.
func TestAnotherProgramsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		w := start(t, Options{Journal: m, Listen: "off"})
		time.Sleep(time.Minute)
		select {
		case <-w.Changes():
			t.Error("an edge without a change")
		default:
		}
		m.AddRuns(t.Context(), []api.Run{{FileID: "f", Extension: "x", Status: api.StatusPending}})
		began := time.Now()
		<-w.Changes()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestRunsKeepsEveryPendingOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		runs := []api.Run{{FileID: "first", Extension: "x", Status: api.StatusPending}}
		for range 1500 {
			runs = append(runs, api.Run{FileID: "f", Extension: "x", Status: api.StatusSuccess})
		}
		runs = append(runs, api.Run{FileID: "last", Extension: "x", Status: api.StatusPending})
		m.AddRuns(t.Context(), runs)
		w := start(t, Options{Journal: m, Listen: "off"})
		got, err := w.Runs(t.Context())
		if err != nil || len(got) != 1001 || got[0].FileID != "first" || got[1000].FileID != "last" {
			t.Errorf("%d runs, %v", len(got), err)
		}
	})
}

// TestSlowerWhileNobodyLooks: the pauses are longer while the window has no focus, and short again at
// once.
func TestSlowerWhileNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := record(t, `{"fileId":"f","extensionStatus":{"remove-bg":"pending"}}`)
		s, m := &shelf{files: map[string]*api.File{"f": f}}, newMemory()
		w := start(t, Options{Journal: m, Listen: "off", Details: s.details})
		if err := w.Answered(t.Context(), "home", f, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		count := func(d time.Duration) int {
			before := len(s.times())
			time.Sleep(d)
			return len(s.times()) - before
		}
		if n := count(30 * time.Minute); n < 29 || n > 31 {
			t.Errorf("with focus: polled %d times in 30 min", n)
		}
		w.Attend(false)
		if n := count(30 * time.Minute); n < 5 || n > 7 {
			t.Errorf("without focus: polled %d times in 30 min", n)
		}
		w.Attend(false)
		time.Sleep(2 * time.Minute)
		w.Attend(true)
		if n := count(5 * time.Second); n != 1 {
			t.Errorf("coming back: %d times at once, want 1", n)
		}
		if last, err := w.LastCheck(1); err != nil || time.Since(last) > 6*time.Second {
			t.Errorf("the last look was %s, %v", last, err)
		}
	})
}

// TestManyRunsAskLittle: hundreds of pending runs do not overload a service, and a service that limits
// requests gets none meanwhile.
func TestManyRunsAskLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := &shelf{files: map[string]*api.File{}}, newMemory()
		var runs []api.Run
		for n := range 500 {
			id := fmt.Sprint("f", n)
			f := record(t, fmt.Sprintf(`{"fileId":%q}`, id))
			s.set(f)
			runs = append(runs, api.Run{Profile: "home", FileID: id, Extension: "remove-bg", Status: api.StatusPending, Started: time.Now(), Answer: f})
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
			if n > 2*atOnce {
				t.Errorf("%d looks within second %d", n, second)
			}
		}
		if len(asked) < 600 {
			t.Errorf("only %d looks at 500 files", len(asked))
		}
		s.mu.Lock()
		s.err = &api.ServiceError{Status: 429, Wait: 10 * time.Minute, Complete: true}
		s.mu.Unlock()
		time.Sleep(2 * time.Second)
		before := len(s.times())
		time.Sleep(9 * time.Minute)
		if n := len(s.times()) - before; n != 0 {
			t.Errorf("sent %d requests although the service limits them, want 0", n)
		}
	})
}
