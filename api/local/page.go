package local

import (
	"bytes"
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"slices"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Limits for the lists on the page.
const (
	pageFiles    = 24
	pageRequests = 50
)

// pageOperation is an operation on the page.
type pageOperation struct{ Method, Path, Summary string }

// page serves the overview page to browsers on this computer, and to others with the key.
func (l *Library) page(w http.ResponseWriter, r *http.Request) error {
	if !l.fromHere(r) && l.authenticate(r) != nil {
		return refuse(http.StatusUnauthorized, "This page needs the private key.", "Enter the key as the user name and leave the password empty.")
	}
	files, err := store.View(r.Context(), l.records, func(tx store.Tx) (files []*api.File, err error) {
		entries, err := tx.List(store.Query{Files: true, Order: store.ByCreated, Descending: true, Limit: pageFiles})
		for _, e := range entries {
			files = append(files, l.record(e.File, true))
		}
		return files, err
	})
	if err != nil {
		return err
	}
	l.rebase(r, files)
	requests := l.requests.all()
	requests = requests[max(0, len(requests)-pageRequests):]
	slices.Reverse(requests)
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"Version": l.o.Version, "Address": l.base(r), "Faults": l.o.Fault.String(),
		"Files": files, "Requests": requests, "Operations": pageOperations(),
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	w.Write(b.Bytes()) //nolint:errcheck // the client is gone then
	return nil
}

// fromHere reports whether a request comes from this computer. A proxy may forward requests from
// elsewhere, so those do not count.
func (l *Library) fromHere(r *http.Request) bool {
	remote, _, err := net.SplitHostPort(r.RemoteAddr)
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	proxied := r.Header.Get("Forwarded") + r.Header.Get("X-Forwarded-For") + r.Header.Get("X-Forwarded-Host") + r.Header.Get("X-Forwarded-Proto") + r.Header.Get("Via")
	return err == nil && api.IsLoopback(remote) && api.IsLoopback(host) && l.o.Address == "" && proxied == ""
}

// pageOperations returns the operations of all routes.
func pageOperations() []pageOperation {
	list := make([]pageOperation, len(routes))
	for i, r := range routes {
		list[i] = pageOperation{r.method, r.pattern, r.summary}
	}
	return list
}
