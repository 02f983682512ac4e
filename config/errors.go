package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// FileError is one problem in a settings file.
type FileError struct {
	Path string // config.toml or state.json
	Line int    // 1-based; 0 if unknown
	Text string // the problem and a hint
}

func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %s", e.Path, e.Line, e.Text)
	}
	return e.Path + ": " + e.Text
}

// ReadOnlyError reports that config.toml sets the value that a screen or command tried to change.
type ReadOnlyError struct {
	Key  string // such as "theme", or "profiles.work"
	Path string // config.toml
	Line int    // 1-based
}

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s is set in %s line %d: change or delete it there (%s)", e.Key, filepath.Base(e.Path), e.Line, e.Path)
}

// settingError is a problem with a setting whose place in the file is not known yet.
type settingError struct {
	key  string // relative to its table
	what string
}

func (e *settingError) Error() string { return e.what }

func badSetting(key, format string, args ...any) *settingError {
	return &settingError{key: key, what: key + " " + fmt.Sprintf(format, args...)}
}

// didYouMean returns ", did you mean X?" if one of the names is near, otherwise "".
func didYouMean(got string, names []string) string {
	best, distance := "", max(1, min(3, len(got)/2))
	for _, name := range names {
		if d := editDistance(strings.ToLower(got), strings.ToLower(name)); d <= distance && (best == "" || d < distance) {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

func editDistance(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	ra, rb = ra[:min(len(ra), 64)], rb[:min(len(rb), 64)]
	row := make([]int, len(rb)+1)
	for j := range row {
		row[j] = j
	}
	for i, ca := range ra {
		diagonal := row[0]
		row[0] = i + 1
		for j, cb := range rb {
			change := diagonal
			if ca != cb {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(rb)]
}
