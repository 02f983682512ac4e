package picker

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"mediadesk/api"
)

// disk reads file facts that may block forever, such as links to an offline network mount. It leaves such calls open, and
// the callers continue without a result.
type disk struct {
	ask func(path string) (fs.FileInfo, error) // os.Stat

	// Time to wait for a result: in a batch, for the first row, and if the user asked for this path.
	patience, rowPatience, longPatience time.Duration

	mu   sync.Mutex
	open map[string]*question // by path
}

// question is a pending call.
type question struct {
	begun    time.Time
	answered chan struct{} // closed on a result
	info     fs.FileInfo
	err      error
}

// mostOpen limits the open calls, because each holds a system thread.
const mostOpen = 100

// errNoAnswer means that the disk or server of a path does not respond.
var errNoAnswer = errors.New("does not answer")

func newDisk() *disk {
	return &disk{
		ask: os.Stat, patience: 100 * time.Millisecond, rowPatience: time.Second, longPatience: 2 * time.Second,
		open: map[string]*question{},
	}
}

// stat is os.Stat for a path that may be remote. It returns errNoAnswer if the first pending call for the path has no result
// in time. Each path has at most one pending call.
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

// noAnswer returns the error for a path that does not respond.
func noAnswer(path string) error {
	return &folderError{path, "does not answer", "Its disk or server may be offline. Try again later, or pick another file."}
}
