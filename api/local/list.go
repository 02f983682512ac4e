package local

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// maxList is how many records one answer holds at most, and unless asked for
// fewer.
const maxList = 1000

// list answers with the records of files and folders, a bare array.
func (l *Library) list(w http.ResponseWriter, r *http.Request) error {
	q, err := l.readQuery(r.URL.Query())
	if err != nil {
		return err
	}
	records := []*api.File{}
	err = l.records.View(r.Context(), func(tx store.Tx) error {
		entries, err := tx.List(q)
		if err != nil {
			return err
		}
		for _, e := range entries {
			switch {
			case e.Folder != nil:
				records = append(records, folderRecord(e.Folder))
				continue
			case e.Earlier != nil:
				file, err := tx.File(e.Earlier.ID)
				if err != nil {
					return err
				}
				records = append(records, l.versionRecord(file, e.Earlier.Version))
				continue
			}
			record := l.record(e.File, true)
			withMetadata(record, e.File)
			records = append(records, record)
		}
		return nil
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, records)
	return nil
}

// orders are the names of the sort parameter behind ASC_ and DESC_.
var orders = map[string]store.Order{
	"NAME": store.ByName, "CREATED": store.ByCreated, "UPDATED": store.ByUpdated,
	"HEIGHT": store.ByHeight, "WIDTH": store.ByWidth, "SIZE": store.BySize,
}

// checkParameters refuses what a listing does not take, and what stands twice;
// lists of tags may be parted so. What a client writes for nothing is taken
// out.
func checkParameters(v url.Values, parameters ...string) error {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		values := slices.DeleteFunc(v[name], absent)
		switch {
		case !slices.Contains(parameters, name):
			return badRequest(quote(name)+" is no parameter of a listing.", "It takes "+strings.Join(parameters, ", ")+".")
		case name == "tags":
			values = []string{strings.Join(values, ",")}
		case len(values) > 1:
			return badRequest(quote(name)+" stands twice in the request.", "Send each parameter once.")
		}
		v[name] = values
	}
	return nil
}

func (l *Library) readQuery(v url.Values) (store.Query, error) {
	q := store.Query{Files: true, Order: store.ByCreated, Limit: maxList}
	if err := checkParameters(v, "type", "path", "sort", "fileType", "searchQuery", "tags", "limit", "skip"); err != nil {
		return q, err
	}
	wrong := func(name, help string) (store.Query, error) {
		return q, badRequest("Your request contains invalid "+name+" parameter: "+quote(v.Get(name))+".", help)
	}
	switch v.Get("type") {
	case "", "file":
	case "folder":
		q.Files, q.Folders = false, true
	case "all":
		q.Folders = true
	case "file-version":
		q.Files, q.Earlier = false, true
	default:
		return wrong("type", "It is file, file-version, folder or all.")
	}
	if path := v.Get("path"); path != "" {
		clean, err := api.CleanFolder(path)
		if err != nil {
			return q, err
		}
		q.Folder = clean
	}
	switch v.Get("fileType") {
	case "", "all":
	case api.KindImage, api.KindNonImage:
		q.Kind = v.Get("fileType")
	default:
		return wrong("fileType", "It is image, non-image or all.")
	}
	q.Tags = api.SplitTags(v.Get("tags"))
	if sort := v.Get("sort"); sort != "" {
		direction, name, _ := strings.Cut(sort, "_")
		order, ok := orders[name]
		if !ok || direction != "ASC" && direction != "DESC" {
			return wrong("sort", "It is ASC_ or DESC_ with NAME, CREATED, UPDATED, HEIGHT, WIDTH or SIZE.")
		}
		q.Order, q.Descending = order, direction == "DESC"
	}
	number := func(name string, into *int, least, most int) bool {
		text := v.Get(name)
		if text == "" {
			return true
		}
		n, err := strconv.Atoi(text)
		*into = n
		return err == nil && n >= least && n <= most
	}
	if !number("limit", &q.Limit, 1, maxList) {
		return wrong("limit", "It is a number from 1 to 1000.")
	}
	if !number("skip", &q.Skip, 0, 1<<31-1) {
		return wrong("skip", "It is a number of at least 0.")
	}
	if text := v.Get("searchQuery"); strings.TrimSpace(text) != "" {
		match, err := parseSearch(text, l.now())
		if err != nil {
			return q, badRequest("Your request contains invalid searchQuery parameter: "+err.Error()+".", `Write a condition such as name = "photo.jpg" or size > "1mb", joined by AND and OR.`)
		}
		if q.Match = match; asksForType(match) && v.Get("type") == "" {
			q.Files, q.Folders, q.Earlier = true, true, true
		}
	}
	return q, nil
}
