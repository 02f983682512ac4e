package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mediadesk/api/rule"
	"mediadesk/api/session"
)

// selection are the flags that select files of folders, the same in all commands.
type selection struct {
	filter                             session.Filter
	minSize, maxSize, newer, olderThan string
}

func (s *selection) add(fl *pflag.FlagSet) {
	fl.StringArrayVar(&s.filter.Include, "include", nil, "`PATTERN`: in folders, select only matching files, such as '*.jpg' or 'a/**' (repeatable)")
	fl.StringArrayVar(&s.filter.Exclude, "exclude", nil, "`PATTERN`: in folders, skip matching files and folders (repeatable)")
	fl.StringVar(&s.minSize, "min-size", "", "`SIZE`: in folders, select only files of at least this size, such as 100k or 2M")
	fl.StringVar(&s.maxSize, "max-size", "", "`SIZE`: in folders, select only files of at most this size")
	fl.StringVar(&s.newer, "newer-than", "", "`AGE`: in folders, select only files that changed within this time (90m, 24h, 7d, 2w) or since a day such as 2026-06-01")
	fl.StringVar(&s.olderThan, "older-than", "", "`AGE`: in folders, select only files that did not change within this time or since a day")
}

func (s *selection) fill() (err error) {
	if err := s.filter.Check(); err != nil {
		return &exitError{exitUsage, err}
	}
	for _, f := range []struct {
		flag, text string
		into       *int64
	}{{"min-size", s.minSize, &s.filter.MinSize}, {"max-size", s.maxSize, &s.filter.MaxSize}} {
		if *f.into, err = parseSize(f.text); err != nil {
			return usage("--%s takes a size such as 500, 100k or 2M, not %q", f.flag, f.text)
		}
	}
	for _, f := range []struct {
		flag, text string
		into       *time.Time
	}{{"newer-than", s.newer, &s.filter.Newer}, {"older-than", s.olderThan, &s.filter.Older}} {
		if *f.into, err = parseAge(f.text, time.Now()); err != nil {
			return usage("--%s takes an age such as 90m, 7d or 2w, or a day such as 2026-06-01, not %q", f.flag, f.text)
		}
	}
	return nil
}

func (s *selection) given() bool {
	return len(s.filter.Include)+len(s.filter.Exclude) > 0 || s.minSize+s.maxSize+s.newer+s.olderThan != ""
}

// parseSize returns a number of bytes; k, M and G stand for powers of 1024. Empty is 0.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	return rule.SearchSize(strings.TrimSuffix(strings.ToLower(text), "b") + "b")
}

// parseAge returns the time of an age before now, or of a day. Empty is the zero time.
func parseAge(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	for unit, hours := range map[string]int{"d": 24, "w": 7 * 24} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.Atoi(number)
			return now.Add(-time.Duration(n*hours) * time.Hour), err
		}
	}
	age, err := time.ParseDuration(text)
	return now.Add(-age), err
}
