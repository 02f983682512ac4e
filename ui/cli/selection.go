package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mediadesk/api/rule"
	"mediadesk/api/session"
)

// addSelection adds the flags that select files of folders, the same in all commands.
func addSelection(fl *pflag.FlagSet, f *session.Filter) {
	for _, flag := range []struct {
		name, help string
		set        func(value string) error
	}{
		{"include", "`PATTERN`: in folders, select only matching files, such as '*.jpg' or 'a/**' (repeatable)", func(value string) error {
			f.Include = append(f.Include, value)
			return f.Check()
		}},
		{"exclude", "`PATTERN`: in folders, skip matching files and folders (repeatable)", func(value string) error {
			f.Exclude = append(f.Exclude, value)
			return f.Check()
		}},
		{"min-size", "`SIZE`: in folders, select only files of at least this size, such as 100k or 2M", parsed(&f.MinSize, parseSize)},
		{"max-size", "`SIZE`: in folders, select only files of at most this size", parsed(&f.MaxSize, parseSize)},
		{"newer-than", "`AGE`: in folders, select only files that changed within this time (90m, 24h, 7d, 2w) or since a day such as 2026-06-01", parsed(&f.Newer, parseAge)},
		{"older-than", "`AGE`: in folders, select only files that did not change within this time or since a day", parsed(&f.Older, parseAge)},
	} {
		fl.Func(flag.name, flag.help, flag.set)
	}
}

// parsed returns the function of a flag that stores a parsed value.
func parsed[T any](into *T, parse func(string) (T, error)) func(string) error {
	return func(value string) (err error) {
		*into, err = parse(value)
		return err
	}
}

func selects(f session.Filter) bool { return !reflect.ValueOf(f).IsZero() }

// parseSize returns a number of bytes; k, M and G stand for powers of 1024.
func parseSize(text string) (int64, error) {
	n, err := rule.SearchSize(strings.TrimSuffix(strings.ToLower(text), "b") + "b")
	if err != nil {
		err = fmt.Errorf("give a size such as 500, 100k or 2M, not %q", text)
	}
	return n, err
}

// parseAge returns the time of an age before now, or of a day.
func parseAge(text string) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	age, err := time.ParseDuration(text)
	for unit, hours := range map[string]int{"d": 24, "w": 7 * 24} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			var n int
			n, err = strconv.Atoi(number)
			age = time.Duration(n*hours) * time.Hour
		}
	}
	if err != nil {
		err = fmt.Errorf("give an age such as 90m, 7d or 2w, or a day such as 2026-06-01, not %q", text)
	}
	return time.Now().Add(-age), err
}
