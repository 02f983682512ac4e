package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
)

// presetKind is an account resource with five calls: list, create, get, update and delete
// (hosted-service.md §15).
type presetKind struct {
	kind    string
	what    string // for people
	path    string
	takes   string // members for creation, as in a route; updates require none
	most    int    // maximum number
	newID   func() string
	idForm  *regexp.Regexp
	unknown error // for a well-formed id that does not exist
	badID   error // for a malformed id
	answer  any   // as in a route

	// record checks a preset with the members of takes and returns it as an answer.
	record func(l *Library, p *store.Preset, others []store.Preset) (any, error)
}

// savedExtension is an extension whose options are stored under an id.
type savedExtension struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Config      json.RawMessage `json:"config"`
	CreatedAt   string          `json:"createdAt"`
	UpdatedAt   string          `json:"updatedAt"`
}

// namedTransformation is a delivery transformation with a name.
type namedTransformation struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Transformation string `json:"transformation"`
	Enabled        bool   `json:"enabled"`
	CreatedAt      string `json:"createdAt"`
}

var errNoSaved = refuse(http.StatusNotFound, "The requested saved extension does not exist.", "Check the id.")

var savedExtensions = &presetKind{
	kind: api.SavedExtension, what: "a saved extension", path: "/v1/saved-extensions", takes: "name! description! config:object!", most: 100,
	newID: func() string { return "ext_" + store.NewID() }, idForm: regexp.MustCompile(`^ext_[0-9a-f]{24}$`),
	unknown: errNoSaved,
	badID:   badRequest("Invalid saved extension ID.", "An id is ext_ and 24 hexadecimal digits."),
	answer:  savedExtension{},
	record: func(l *Library, p *store.Preset, _ []store.Preset) (any, error) {
		e := savedExtension{ID: p.ID, CreatedAt: timeText(p.Created), UpdatedAt: timeText(p.Updated)}
		if err := json.Unmarshal(p.Body, &e); err != nil || strings.TrimSpace(e.Name) == "" {
			return nil, invalid("name or description", "it is not a text or empty", "Send texts.")
		}
		list, err := l.readExtensions("["+string(e.Config)+"]", false)
		if err != nil {
			return nil, badRequest("Invalid extension configuration.", err.Error())
		}
		if list[0].Name == api.SavedExtension {
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
	newID: store.NewID, idForm: regexp.MustCompile(``),
	unknown: refuse(http.StatusNotFound, "The requested named transformation does not exist.", "Check the id."),
	answer:  namedTransformation{},
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

// presetRoutes returns the five routes of a kind.
func presetRoutes(k *presetKind) []route {
	one := k.path + "/{presetId}"
	return []route{
		{http.MethodGet, k.path, "List what there is of " + k.what, "", http.StatusOK, []any{}, k.list},
		{http.MethodPost, k.path, "Create " + k.what, k.takes, http.StatusCreated, k.answer, k.add},
		{http.MethodGet, one, "Get " + k.what, "", http.StatusOK, k.answer, k.get},
		{http.MethodPatch, one, "Update " + k.what, strings.ReplaceAll(k.takes, "!", ""), http.StatusOK, k.answer, k.update},
		{http.MethodDelete, one, "Delete " + k.what, "", http.StatusOK, nil, k.remove},
	}
}

func (k *presetKind) list(l *Library, r *http.Request) (any, error) {
	return store.View(r.Context(), l.records, func(tx store.Tx) (any, error) {
		presets, err := tx.Presets(k.kind)
		list := make([]any, len(presets))
		for i := range presets {
			if err == nil {
				list[i], err = k.record(l, &presets[i], nil)
			}
		}
		return list, err
	})
}

func (k *presetKind) get(l *Library, r *http.Request) (any, error) {
	return store.View(r.Context(), l.records, func(tx store.Tx) (any, error) {
		p, _, err := k.find(tx, r.PathValue("presetId"))
		if err != nil {
			return nil, err
		}
		return k.record(l, p, nil)
	})
}

// find returns a preset and all others of its kind.
func (k *presetKind) find(tx store.Tx, id string) (*store.Preset, []store.Preset, error) {
	if !k.idForm.MatchString(id) {
		return nil, nil, k.badID
	}
	p, others, err := findPreset(tx, k.kind, id)
	if errors.Is(err, store.ErrNotFound) {
		err = k.unknown
	}
	return p, others, err
}

func findPreset(tx store.Tx, kind, id string) (*store.Preset, []store.Preset, error) {
	list, err := tx.Presets(kind)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(list, func(p store.Preset) bool { return p.ID == id })
	if at < 0 {
		return nil, nil, store.ErrNotFound
	}
	p := list[at]
	return &p, slices.Delete(list, at, at+1), nil
}

// read reads the members of a request.
func (k *presetKind) read(r *http.Request, required bool) (map[string]json.RawMessage, error) {
	var members []member
	needed := 0
	for _, t := range parseTakes(k.takes) {
		members = append(members, member{t.name, new(json.RawMessage)})
		if t.required && required {
			needed++
		}
	}
	return readMembers(r, needed, members...)
}

// set writes members into a preset and checks it.
func (k *presetKind) set(l *Library, p *store.Preset, members map[string]json.RawMessage, others []store.Preset) (any, error) {
	body := map[string]json.RawMessage{}
	if p.Body != nil {
		if err := json.Unmarshal(p.Body, &body); err != nil {
			return nil, err
		}
	}
	maps.Copy(body, members)
	var err error
	if p.Body, err = json.Marshal(body); err != nil {
		return nil, err
	}
	return k.record(l, p, others)
}

func (k *presetKind) add(l *Library, r *http.Request) (any, error) {
	members, err := k.read(r, true)
	if err != nil {
		return nil, err
	}
	return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) { return k.create(l, tx, members) })
}

func (k *presetKind) create(l *Library, tx store.Tx, members map[string]json.RawMessage) (any, error) {
	others, err := tx.Presets(k.kind)
	if err != nil {
		return nil, err
	}
	if len(others) >= k.most {
		return nil, badRequest(fmt.Sprintf("The limit of %d is reached for %s.", k.most, k.what), "Delete one first.")
	}
	p := &store.Preset{Kind: k.kind, ID: k.newID(), Created: l.now(), Updated: l.now()}
	record, err := k.set(l, p, members, others)
	if err != nil {
		return nil, err
	}
	return record, tx.AddPreset(p)
}

func (k *presetKind) update(l *Library, r *http.Request) (any, error) {
	members, err := k.read(r, false)
	if err != nil {
		return nil, err
	}
	return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) {
		p, others, err := k.find(tx, r.PathValue("presetId"))
		if err != nil {
			return nil, err
		}
		p.Updated = l.now()
		record, err := k.set(l, p, members, others)
		if err != nil {
			return nil, err
		}
		return record, tx.UpdatePreset(p)
	})
}

func (k *presetKind) remove(l *Library, r *http.Request) (any, error) {
	id := r.PathValue("presetId")
	if !k.idForm.MatchString(id) {
		return nil, k.badID
	}
	err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.DeletePreset(k.kind, id) })
	if errors.Is(err, store.ErrNotFound) {
		err = k.unknown
	}
	return nil, err
}

// seedTransformations creates the named transformations of the settings that do not exist yet.
func (l *Library) seedTransformations(ctx context.Context) error {
	if len(l.o.Named) == 0 {
		return nil
	}
	return l.records.Update(ctx, func(tx store.Tx) error {
		have, err := tx.Presets(namedTransformations.kind)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(l.o.Named)) {
			if slices.ContainsFunc(have, func(p store.Preset) bool { return p.Name == name }) {
				continue
			}
			p := &store.Preset{Kind: namedTransformations.kind, ID: store.NewID(), Name: name, Created: l.now(), Updated: l.now()}
			if p.Body, err = json.Marshal(map[string]string{"name": name, "transformation": l.o.Named[name]}); err != nil {
				return err
			}
			if err := tx.AddPreset(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// transformation returns the steps of an enabled named transformation. Errors of the records are a
// *storeError.
func (l *Library) transformation(ctx context.Context, name string) (string, error) {
	list, err := store.View(ctx, l.records, func(tx store.Tx) ([]store.Preset, error) { return tx.Presets(namedTransformations.kind) })
	if err != nil {
		return "", &storeError{err}
	}
	at := slices.IndexFunc(list, func(p store.Preset) bool { return p.Name == name })
	t := namedTransformation{Enabled: true}
	if at < 0 {
		return "", fmt.Errorf("there is no named transformation %q", name)
	}
	if err := json.Unmarshal(list[at].Body, &t); err != nil {
		return "", &storeError{err}
	}
	if !t.Enabled {
		return "", fmt.Errorf("the named transformation %q is disabled", name)
	}
	return t.Transformation, nil
}
