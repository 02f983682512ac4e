package local

import (
	"net/http"
	"net/url"
	"sync"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// ticketKind is what a ticket was given for.
type ticketKind string

const (
	copyTicket   ticketKind = "COPY_FOLDER"
	moveTicket   ticketKind = "MOVE_FOLDER"
	renameTicket ticketKind = "RENAME_FOLDER"
	purgeTicket  ticketKind = "PURGE_CACHE"
)

// maxTickets is how many tickets are remembered; the oldest are forgotten.
const maxTickets = 10_000

// tickets are the ids under which a client asks later how a job ended. Here
// each is done before its id is given out. The zero value is ready for use.
type tickets struct {
	mu    sync.Mutex
	kinds map[string]ticketKind
	order []string
}

// issue gives out the id of a job that is done.
func (t *tickets) issue(kind ticketKind) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kinds == nil {
		t.kinds = map[string]ticketKind{}
	}
	id := store.NewID()
	t.kinds[id] = kind
	if t.order = append(t.order, id); len(t.order) > maxTickets {
		delete(t.kinds, t.order[0])
		t.order = t.order[1:]
	}
	return id
}

func (t *tickets) kind(id string) ticketKind {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kinds[id]
}

// completed is the word for a job that is done.
const completed = "Completed"

// jobStatus tells how the copying, moving or renaming of a folder ended.
func (l *Library) jobStatus(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("jobId")
	kind := l.tickets.kind(id)
	if kind == "" || kind == purgeTicket {
		return refuse(http.StatusNotFound, "There is no job with this id.", "Ids are known until the library is closed.")
	}
	writeJSON(w, http.StatusOK, map[string]string{"jobId": id, "type": string(kind), "status": completed})
	return nil
}

// purge takes the order to forget what is cached of an address. What is served
// here is asked for anew each time, so there is nothing to forget.
func (l *Library) purge(w http.ResponseWriter, r *http.Request) error {
	var address string
	if err := readBody(r, 1, member{"url", &address}); err != nil {
		return err
	}
	if u, err := url.Parse(address); err != nil || api.CheckSourceURL(address) != nil || u.Path == "" {
		return badRequest("Your request contains invalid url parameter: "+quote(address)+" is no address of a file.", "Send the url of its record.")
	}
	writeJSON(w, http.StatusCreated, map[string]string{"requestId": l.tickets.issue(purgeTicket)})
	return nil
}

// purgeStatus tells how a purge ended.
func (l *Library) purgeStatus(w http.ResponseWriter, r *http.Request) error {
	if l.tickets.kind(r.PathValue("requestId")) != purgeTicket {
		return refuse(http.StatusNotFound, "There is no purge request with this id.", "Ids are known until the library is closed.")
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": completed})
	return nil
}
