package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// FileError is one problem in a settings file.
type FileError struct {
	Path string // config.toml or state.toml
	Line int    // from 1; 0 if the problem has no place
	Key  string // dotted, as "profiles.work.upload_url"; "" if the problem has no key
	Text string // what is wrong and what helps
}

// Error is a sentence with the place, what is wrong there and what helps.
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	b.WriteString(": ")
	b.WriteString(e.Text)
	return b.String()
}

// ReadOnlyError says that config.toml sets what a screen or command was to change.
type ReadOnlyError struct {
	Key  string // such as "theme", or "profiles.work"
	Path string // config.toml
	Line int    // from 1
}

// Error says what is set where, and what to do.
func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s is set in %s line %d: change or delete it there (%s)", e.Key, filepath.Base(e.Path), e.Line, e.Path)
}

// UnknownProfileError says that there is no profile of this name.
type UnknownProfileError struct {
	Name  string
	Known []string
}

// Error names the profiles there are, and the likely one.
func (e *UnknownProfileError) Error() string {
	return fmt.Sprintf("there is no profile %q%s (there are: %s)", e.Name, didYouMean(e.Name, e.Known), strings.Join(e.Known, ", "))
}

// settingError is a problem of one setting before its place in the file is known.
type settingError struct {
	key  string // as written in its table
	what string
}

func (e *settingError) Error() string { return e.what }

func badSetting(key, format string, args ...any) *settingError {
	return &settingError{key: key, what: key + " " + fmt.Sprintf(format, args...)}
}

// didYouMean is ", did you mean X?" if one of the names is near, else "".
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

// editDistance counts the letters to add, drop or change to get from a to b, at most 64 of each.
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
