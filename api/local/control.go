package local

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"mediadesk/api/local/store"
)

// controlPath is the prefix of paths that control the program, not the library. Injected faults
// skip them and the request log leaves them out.
const (
	controlPath = "/_mediadesk/"
	healthPath  = controlPath + "health"
	openAPIPath = controlPath + "openapi.json"
)

func isControl(path string) bool { return strings.HasPrefix(path+"/", controlPath) }

// keyless holds the paths that need no key.
var keyless = map[string]bool{identityPath: true, healthPath: true, openAPIPath: true}

// identity identifies the process that serves a library.
type identity struct {
	Service  string `json:"service"`
	Identity string `json:"identity"`
	Faults   string `json:"faults"` // in the format of Fault.String
}

func (l *Library) identify(*http.Request) (any, error) {
	return identity{"mediadesk", l.identity, l.Faults()}, nil
}

type health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// healthTime is the time limit for the records to answer.
const healthTime = 3 * time.Second

// health reports whether records and contents answer.
func (l *Library) health(r *http.Request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), healthTime)
	defer cancel()
	err := l.records.View(ctx, func(tx store.Tx) error {
		_, err := tx.Library.Empty()
		return err
	})
	part := "database"
	if err == nil {
		part, err = "storage", l.contents.Answers(ctx)
	}
	if err != nil {
		l.log.Error("the health check failed", "part", part, "error", err)
		return nil, refuse(http.StatusServiceUnavailable, "The "+part+" of the library does not answer.", "The log of mediadesk serve has the reason.").because(part)
	}
	return health{"ok", l.o.Version}, nil
}

// reset empties the library and loads a seed: the one that is named, else that of the start. The
// name "none" loads none.
func (l *Library) reset(r *http.Request) (any, error) {
	if !l.o.AllowReset {
		return nil, refuse(http.StatusForbidden, "This library cannot be reset.", "Start mediadesk serve with --ephemeral or --allow-reset.")
	}
	var name string
	if _, err := readBody(r, 0, member{"seed", &name}); err != nil {
		return nil, err
	}
	name = cmp.Or(name, r.URL.Query().Get("seed"))
	if _, ok := l.seeds[name]; !ok && name != "" && name != "none" {
		return nil, refuse(http.StatusNotFound, "There is no seed "+quote(name)+".", "The seeds are the folders of --seed, by name.")
	}
	if err := l.Reset(r.Context(), name); err != nil {
		return nil, err
	}
	l.requests.mu.Lock()
	defer l.requests.mu.Unlock()
	l.requests.list = nil
	return nil, nil
}

// Reset, which is no event for webhooks, empties the library and loads a seed of Options, if there
// is one of that name.
func (l *Library) Reset(ctx context.Context, seed string) error {
	err := l.records.Records.Update(ctx, func(tx store.Tx) error {
		if err := tx.Library.Clear(); err != nil {
			return err
		}
		return tx.Library.Restore(l.seeds[seed])
	})
	if err != nil {
		return err
	}
	l.work.CancelAll()
	select {
	case l.records.Written <- struct{}{}: // contents are to be removed
	default:
	}
	return nil
}

// keepSeeds remembers the contents of the seeds, which a sweep must not remove between two resets.
func (l *Library) keepSeeds() {
	l.seeds, l.seeded = l.o.Seeds, map[string]bool{}
	for _, seed := range l.seeds {
		for _, versions := range seed.Versions {
			for _, v := range versions {
				l.seeded[v.Hash] = true
			}
		}
	}
}

// State returns what a reset can bring back.
func (l *Library) State(ctx context.Context) (store.State, error) {
	return store.View(ctx, l.records, func(tx store.Tx) (store.State, error) { return tx.Library.State() })
}
