package local

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// presetKind is an account resource with five calls (hosted-service.md §15).
type presetKind struct {
	kind    string
	what    string // for people
	path    string
	takes   string // members for creation, as in a route; updates require none
	most    int    // maximum number
	prefix  string // of ids, before 24 hexadecimal digits
	unknown error  // for an id that does not exist
	badID   error  // for a malformed id; nil for unknown

	// record checks a preset with the members of takes and returns it as an answer.
	record func(l *Library, p *store.Preset, others []store.Preset) (any, error)
}

type savedExtension struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Config      json.RawMessage `json:"config"`
	CreatedAt   string          `json:"createdAt"`
	UpdatedAt   string          `json:"updatedAt"`
}

type namedTransformation struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Transformation string `json:"transformation"`
	Enabled        bool   `json:"enabled"`
	CreatedAt      string `json:"createdAt"`
}

var errNoSaved = refuse(http.StatusNotFound, "The requested saved extension does not exist.", "Check the id.")

var savedExtensions = &presetKind{
	kind: rule.SavedExtension, what: "a saved extension", path: "/v1/saved-extensions", takes: "name! description! config:object!", most: 100,
	prefix: "ext_", unknown: errNoSaved,
	badID: badRequest("Invalid saved extension ID.", "An id is ext_ and 24 hexadecimal digits."),
	record: func(l *Library, p *store.Preset, _ []store.Preset) (any, error) {
		e := savedExtension{ID: p.ID, CreatedAt: timeText(p.Created), UpdatedAt: timeText(p.Updated)}
		if err := json.Unmarshal(p.Body, &e); err != nil || strings.TrimSpace(e.Name) == "" {
			return nil, invalid("name or description", "it is not a text or empty", "Send texts.")
		}
		list, err := l.readExtensions("["+string(e.Config)+"]", false)
		if err != nil {
			return nil, badRequest("Invalid extension configuration.", err.Error())
		}
		if list[0].Name == rule.SavedExtension {
			return nil, badRequest("Invalid extension configuration.", "A saved extension cannot hold another one.")
		}
		p.Name = e.Name
		return e, nil
	},
}

// apiName matches the names that the API accepts. Names in the settings may also contain dashes.
var apiName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

var namedTransformations = &presetKind{
	kind: "named-transformation", what: "a named transformation", path: "/v1/named-transformations", takes: "name! transformation! enabled:bool", most: 250,
	unknown: refuse(http.StatusNotFound, "The requested named transformation does not exist.", "Check the id."),
	record: func(_ *Library, p *store.Preset, others []store.Preset) (any, error) {
		t := namedTransformation{ID: p.ID, Enabled: true, CreatedAt: timeText(p.Created)}
		if err := json.Unmarshal(p.Body, &t); err != nil {
			return nil, invalid("name, transformation or enabled", "it is of the wrong type", "Send texts, and true or false.")
		}
		if t.Name != p.Name && !apiName.MatchString(t.Name) {
			return nil, invalid("name", quote(t.Name)+" is not a valid name", "Use letters, digits and _.")
		}
		if slices.ContainsFunc(others, func(o store.Preset) bool { return o.Name == t.Name }) {
			return nil, badRequest("A named transformation with the name "+quote(t.Name)+" already exists.", "Choose another name.")
		}
		if err := delivery.CheckNamed(t.Name, t.Transformation); err != nil {
			return nil, badRequest("Your request contains invalid transformation parameter: "+err.Error()+".", "Write steps such as w-400,h-300.")
		}
		p.Name = t.Name
		return t, nil
	},
}

func presetRoutes(k *presetKind) []route {
	item := k.path + "/{presetId}"
	optional := strings.ReplaceAll(k.takes, "!", "")
	get := func(l *Library, tx store.Tx, r *http.Request) (any, error) {
		p, _, err := k.find(l, tx, r)
		if err != nil {
			return nil, err
		}
		return k.record(l, p, nil)
	}
	remove := func(l *Library, tx store.Tx, r *http.Request) (any, error) {
		p, _, err := k.find(l, tx, r)
		if err != nil {
			return nil, err
		}
		return nil, tx.Remove(p)
	}
	return []route{
		{http.MethodGet, k.path, "List what there is of " + k.what, "", http.StatusOK, within(store.View[any], k.list)},
		{http.MethodPost, k.path, "Create " + k.what, k.takes, http.StatusCreated, k.write(store.Tx.Add)},
		{http.MethodGet, item, "Get " + k.what, "", http.StatusOK, within(store.View[any], get)},
		{http.MethodPatch, item, "Update " + k.what, optional, http.StatusOK, k.write(store.Tx.Save)},
		{http.MethodDelete, item, "Delete " + k.what, "", http.StatusNoContent, within(store.Update[any], remove)},
	}
}

func (k *presetKind) list(l *Library, tx store.Tx, _ *http.Request) (any, error) {
	presets, err := store.All[store.Preset](tx, store.Filter{"kind": k.kind})
	list := make([]any, len(presets))
	for i := range presets {
		if err == nil {
			list[i], err = k.record(l, &presets[i], nil)
		}
	}
	return list, err
}

// find returns the preset of a request, or a new one if it has no id, and all others of the kind.
func (k *presetKind) find(l *Library, tx store.Tx, r *http.Request) (*store.Preset, []store.Preset, error) {
	id := r.PathValue("presetId")
	list, err := store.All[store.Preset](tx, store.Filter{"kind": k.kind})
	at := slices.IndexFunc(list, func(p store.Preset) bool { return p.ID == id })
	switch {
	case err != nil:
		return nil, nil, err
	case at >= 0:
		p := list[at]
		return &p, slices.Delete(list, at, at+1), nil
	case id != "" && k.badID != nil && (!strings.HasPrefix(id, k.prefix) || !store.IsID(id[len(k.prefix):])):
		return nil, nil, k.badID
	case id != "":
		return nil, nil, k.unknown
	case len(list) >= k.most:
		return nil, nil, badRequest(fmt.Sprintf("The limit of %d is reached for %s.", k.most, k.what), "Delete one first.")
	}
	id = k.prefix + store.NewID()
	return &store.Preset{Kind: k.kind, ID: id, Created: l.now(), Body: json.RawMessage("{}")}, list, nil
}

func (k *presetKind) write(save func(store.Tx, any) error) operation {
	return func(l *Library, r *http.Request) (any, error) {
		sent, err := readBody(r)
		if err != nil {
			return nil, err
		}
		return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) {
			p, others, err := k.find(l, tx, r)
			if err != nil {
				return nil, err
			}
			body := map[string]json.RawMessage{}
			if err := json.Unmarshal(p.Body, &body); err != nil {
				return nil, err
			}
			maps.Copy(body, sent)
			p.Body, p.Updated = encode(body), l.now()
			record, err := k.record(l, p, others)
			if err != nil {
				return nil, err
			}
			return record, save(tx, p)
		})
	}
}

func (l *Library) seedTransformations(ctx context.Context) error {
	if len(l.o.Named) == 0 {
		return nil
	}
	return l.records.Update(ctx, func(tx store.Tx) error {
		have, err := store.All[store.Preset](tx, store.Filter{"kind": namedTransformations.kind})
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(l.o.Named)) {
			if slices.ContainsFunc(have, func(p store.Preset) bool { return p.Name == name }) {
				continue
			}
			err := tx.Add(&store.Preset{
				Kind: namedTransformations.kind, ID: store.NewID(), Created: l.now(), Updated: l.now(),
				Name: name, Body: encode(map[string]string{"name": name, "transformation": l.o.Named[name]}),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// transformation returns the steps of an enabled named transformation. The error is a *storeError if
// the records cannot be read, and a plain one if there is no such name or it is disabled.
func (l *Library) transformation(ctx context.Context, name string) (string, error) {
	list, err := store.View(ctx, l.records, func(tx store.Tx) ([]store.Preset, error) {
		return store.All[store.Preset](tx, store.Filter{"kind": namedTransformations.kind, "name": name})
	})
	t := namedTransformation{Enabled: true}
	if err == nil && len(list) > 0 {
		err = json.Unmarshal(list[0].Body, &t)
	}
	switch {
	case err != nil:
		return "", &storeError{err}
	case len(list) == 0:
		return "", fmt.Errorf("there is no named transformation %q", name)
	case !t.Enabled:
		return "", fmt.Errorf("the named transformation %q is disabled", name)
	}
	return t.Transformation, nil
}

// traffic counts delivered bytes since the library was opened.
type traffic struct {
	mu    sync.Mutex
	bytes map[string]int64 // keyed by day as in time.DateOnly
}

// usage returns the storage of all versions now, and the bandwidth since the library was opened.
func (l *Library) usage(r *http.Request) (any, error) {
	v, err := parameters(r)
	if err != nil {
		return nil, err
	}
	start, startErr := time.Parse(time.DateOnly, v.Get("startDate"))
	end, endErr := time.Parse(time.DateOnly, v.Get("endDate"))
	switch {
	case startErr != nil || endErr != nil:
		return nil, badRequest("Your request contains invalid startDate or endDate parameter.", "Give both as days, such as 2026-01-31.")
	case !start.Before(end) || end.Sub(start) > rule.MaxUsageDays*24*time.Hour:
		return nil, badRequest("Your request contains invalid endDate parameter: it is not 1 to 89 days after startDate.", "Request fewer days; endDate itself is not included.")
	}
	var used, runs int64
	err = l.records.View(r.Context(), func(tx store.Tx) (err error) {
		used, runs, err = tx.Library.Usage(start, end)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.traffic.mu.Lock()
	defer l.traffic.mu.Unlock()
	var delivered int64
	for day, bytes := range l.traffic.bytes {
		if day >= v.Get("startDate") && day < v.Get("endDate") {
			delivered += bytes
		}
	}
	return api.Usage{
		StorageBytes: api.Set(used), BandwidthBytes: api.Set(delivered),
		ExtensionUnits: api.Set(runs), VideoUnits: api.Set[int64](0), OriginalStorageBytes: api.Set[int64](0),
	}, nil
}
