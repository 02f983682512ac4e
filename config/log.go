package config

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
)

// maxLog is the size in bytes at which the log file is rotated; one older file stays.
const maxLog = 5 << 20

// Log is the log file of the program. It is created with the first line, and never contains the
// keys known to its Redactor.
type Log struct {
	path string
	mu   sync.Mutex
	file *os.File
	r    *Redactor
}

// NewLog returns the log at path without opening it.
func NewLog(path string, r *Redactor) *Log { return &Log{path: path, r: r} }

// Logger returns a logger for the log; debug includes debug messages.
func (l *Log) Logger(debug bool) *slog.Logger {
	level := slog.LevelInfo
	if debug {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
}

func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	return l.r.Writer(l.file).Write(line)
}

func (l *Log) open() error {
	if !filepath.IsAbs(l.path) {
		return ErrNoHome
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	atomicfile.Restrict(l.path)
	if info, err := os.Stat(l.path); err == nil && info.Size() > maxLog {
		if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var err error
	l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return err
}

func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// Redactor removes keys from text for a log, a crash report or a screen, in all [api.KeyForms].
//
// The zero value has no keys and changes nothing. A Redactor is safe for concurrent use.
type Redactor struct {
	mu       sync.RWMutex
	known    []Secret
	replacer *strings.Replacer // nil without keys
}

// Add adds a key. A zero Secret changes nothing.
func (r *Redactor) Add(s Secret) {
	if s.IsZero() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.known, s.Equal) {
		return
	}
	r.known = append(r.known, s)
	var forms []string
	for _, key := range r.known {
		forms = append(forms, api.KeyForms(key.Reveal())...)
	}
	// Longest first, so that the longest match is replaced.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
}

// String returns text with the known keys redacted.
func (r *Redactor) String(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// Writer returns a writer that redacts the known keys and writes to w. Each call must write
// complete lines, as a logger does: a key that is split between calls is not found.
func (r *Redactor) Writer(w io.Writer) io.Writer { return redactingWriter{r, w} }

type redactingWriter struct {
	redactor *Redactor
	to       io.Writer
}

func (w redactingWriter) Write(lines []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.redactor.String(string(lines))); err != nil {
		return 0, err
	}
	return len(lines), nil
}
