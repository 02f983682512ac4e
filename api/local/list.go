package local

import (
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// maxList is both the limit and the default for the records in one answer.
const maxList = 1000

func (l *Library) list(tx store.Tx, r *http.Request) (any, error) {
	q, err := l.readQuery(tx, r)
	if err != nil {
		return nil, err
	}
	entries, err := tx.Files.List(q)
	records := make([]*api.File, len(entries))
	for i, e := range entries {
		switch {
		case e.Folder != nil:
			records[i] = folderRecord(e.Folder)
		case e.File != nil:
			records[i] = l.fullRecord(e.File)
		default:
			file, err := store.Get[store.File](tx, e.Earlier.ID)
			if err != nil {
				return nil, err
			}
			records[i] = l.versionRecord(file, e.Earlier.Version)
		}
	}
	return records, err
}

var listTypes = map[string]store.Query{
	"": {Files: true}, api.TypeFile: {Files: true}, api.TypeFolder: {Folders: true}, api.TypeVersion: {Earlier: true},
	"all": {Files: true, Folders: true},
}

// parameters returns the parameters of a request without values that mean nothing. It refuses those
// that the route does not take, and repeated ones.
func parameters(r *http.Request) (url.Values, error) {
	v, takes := r.URL.Query(), names(routeOf(r).taken())
	for _, name := range slices.Sorted(maps.Keys(v)) {
		values := slices.DeleteFunc(v[name], absent)
		switch {
		case !slices.Contains(takes, name):
			return nil, badRequest(quote(name)+" is not a parameter of a listing.", "It takes "+strings.Join(takes, ", ")+".")
		case name == "tags":
			values = []string{strings.Join(values, ",")}
		case len(values) > 1:
			return nil, badRequest(quote(name)+" appears twice in the request.", "Send each parameter once.")
		}
		v[name] = values
	}
	return v, nil
}

func (l *Library) readQuery(tx store.Tx, r *http.Request) (store.Query, error) {
	q := store.Query{Order: store.ByCreated, Limit: maxList}
	v, err := parameters(r)
	if err != nil {
		return q, err
	}
	wrong := func(name, help string) (store.Query, error) {
		return q, badRequest("Your request contains invalid "+name+" parameter: "+quote(v.Get(name))+".", help)
	}
	if kinds, ok := listTypes[v.Get("type")]; ok {
		q.Files, q.Folders, q.Earlier = kinds.Files, kinds.Folders, kinds.Earlier
	} else {
		return wrong("type", "Use file, file-version, folder or all.")
	}
	if path := v.Get("path"); path != "" {
		q.Folder, _ = rule.CleanFolder(path) // a folder with any other name is empty
	}
	switch v.Get("fileType") {
	case "", "all":
	case api.KindImage, api.KindNonImage:
		q.Kind = v.Get("fileType")
	default:
		return wrong("fileType", "Use image, non-image or all.")
	}
	if sort := v.Get("sort"); sort != "" {
		direction, name, _ := strings.Cut(sort, "_")
		if !slices.Contains(rule.Sorts, name) || direction != "ASC" && direction != "DESC" {
			return wrong("sort", "Use ASC_ or DESC_ with NAME, CREATED, UPDATED, HEIGHT, WIDTH, SIZE or RELEVANCE.")
		}
		q.Order, q.Descending = store.Order(strings.ToLower(name)), direction == "DESC"
	}
	if text := v.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > maxList {
			return wrong("limit", "Send a number from 1 to 1000.")
		}
	}
	if text := v.Get("skip"); text != "" {
		if q.Skip, err = strconv.Atoi(text); err != nil || q.Skip < 0 || q.Skip > math.MaxInt32 {
			return wrong("skip", "Send 0 or a positive number.")
		}
	}
	text := v.Get("searchQuery")
	if strings.TrimSpace(text) == "" {
		if q.Tags = rule.SplitTags(v.Get("tags")); v.Get("name") != "" {
			q.Match = &store.Match{Subject: store.MatchName, Op: "=", Values: []any{v.Get("name")}}
		}
		return q, nil
	}
	// With a query, type, tags and name have no effect.
	fields, err := metadataFields(tx)
	if err != nil {
		return q, err
	}
	if q.Match, err = parseSearch(text, l.now(), fields); err != nil {
		return q, badRequest("Your request contains invalid searchQuery parameter: "+err.Error()+".", `Write a condition such as name = "photo.jpg" or size > "1mb", joined by AND and OR.`)
	}
	q.Files, q.Folders, q.Earlier = true, true, asksForType(q.Match)
	return q, nil
}
