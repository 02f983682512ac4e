package config

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"mediadesk/api/atomicfile"
)

// maxLog is the size in bytes at which the log file is rotated; one older file is kept.
const maxLog = 5 << 20

// Log is the log file of the program. It is created with the first line, and never contains the keys known
// to its Redactor.
type Log struct {
	path string
	mu   sync.Mutex
	file *os.File
	to   io.Writer // the file, with keys removed
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

// Write writes one line.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	return l.to.Write(line)
}

// open opens the file and rotates it if it is large.
func (l *Log) open() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	atomicfile.Restrict(l.path)
	if info, err := os.Stat(l.path); err == nil && info.Size() > maxLog {
		if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	l.file, l.to = file, l.r.Writer(file)
	return nil
}

// Close closes the file.
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
