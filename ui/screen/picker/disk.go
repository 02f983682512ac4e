package picker

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"mediadesk/api"
)

// disk reads the facts of files that may never answer: a link into a network mount whose
// server is down blocks every caller. Such a call stays open, and the callers go on
// without its result.
type disk struct {
	ask func(path string) (fs.FileInfo, error) // os.Stat

	// How long to wait for a result: if others wait too, for the first row, and if the
	// user asked for just this.
	patience, rowPatience, longPatience time.Duration

	mu   sync.Mutex
	open map[string]*question // by path
}

// question is a call that has no result yet.
type question struct {
	begun    time.Time
	answered chan struct{} // closed when there is an answer
	info     fs.FileInfo
	err      error
}

// mostOpen is how many calls may be open at a time: each holds a thread of the system.
const mostOpen = 100

// errNoAnswer says that the disk or server of a path does not answer.
var errNoAnswer = errors.New("does not answer")

func newDisk() *disk {
	return &disk{
		ask: os.Stat, patience: 100 * time.Millisecond, rowPatience: time.Second, longPatience: 2 * time.Second,
		open: map[string]*question{},
	}
}

// stat is os.Stat for a path that may be remote. It returns errNoAnswer if there is no
// result within a time since the first call for the path: no path is read twice at a time.
func (d *disk) stat(path string, patience time.Duration) (fs.FileInfo, error) {
	d.mu.Lock()
	q := d.open[path]
	if q == nil {
		if len(d.open) >= mostOpen {
			d.mu.Unlock()
			return nil, errNoAnswer
		}
		q = &question{begun: time.Now(), answered: make(chan struct{})}
		d.open[path] = q
		go d.answer(path, q)
	}
	d.mu.Unlock()
	timer := time.NewTimer(patience - time.Since(q.begun))
	defer timer.Stop()
	select {
	case <-q.answered:
		return q.info, q.err
	case <-timer.C:
		return nil, errNoAnswer
	}
}

func (d *disk) answer(path string, q *question) {
	q.info, q.err = d.ask(path)
	d.mu.Lock()
	delete(d.open, path)
	d.mu.Unlock()
	close(q.answered)
}

// identify is api.Identify for a path that may be remote.
func (d *disk) identify(path string) (api.Identity, error) {
	if _, err := d.stat(path, d.longPatience); errors.Is(err, errNoAnswer) {
		return api.Identity{}, noAnswer(path)
	}
	return api.Identify(path)
}

// noAnswer is the error for a path that does not answer.
func noAnswer(path string) error {
	return &folderError{path, "does not answer", "Its disk or server may be offline. Try again later, or pick another file."}
}
