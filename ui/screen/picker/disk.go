package picker

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"mediadesk/api"
)

// disk looks at paths of which some may never answer: a link into a mount whose
// server is away hangs whoever asks. Such a question stays open, and those who
// asked go on without its answer.
type disk struct {
	ask func(path string) (fs.FileInfo, error) // os.Stat

	// How long the answer to a question is waited for, from its asking: where
	// others wait too, before a row says that there is none, and where somebody
	// asked for just this.
	patience, rowPatience, longPatience time.Duration

	mu   sync.Mutex
	open map[string]*question // by path
}

// question is one that was asked and has no answer yet.
type question struct {
	begun    time.Time
	answered chan struct{} // closed when there is an answer
	info     fs.FileInfo
	err      error
}

// mostOpen is how many questions may be open at a time: each holds a thread of
// the system.
const mostOpen = 100

// errNoAnswer says that a disk or a server behind a path keeps silent.
var errNoAnswer = errors.New("does not answer")

func newDisk() *disk {
	return &disk{
		ask: os.Stat, patience: 100 * time.Millisecond, rowPatience: time.Second, longPatience: 2 * time.Second,
		open: map[string]*question{},
	}
}

// stat is os.Stat for what may be elsewhere. The error is errNoAnswer where none
// came within a time from the first asking: no path is asked twice at a time.
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

// identify is api.Identify for what may be elsewhere.
func (d *disk) identify(path string) (api.Identity, error) {
	if _, err := d.stat(path, d.longPatience); errors.Is(err, errNoAnswer) {
		return api.Identity{}, noAnswer(path)
	}
	return api.Identify(path)
}

// noAnswer tells of a path that does not answer, in the words of the rest.
func noAnswer(path string) error {
	return &folderError{path, "does not answer", "The disk or the server that it is on may be away. Try again later, or pick another file."}
}
