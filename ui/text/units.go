package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Bytes formats a number of bytes with SI units of 1,000: "512 B", "1.5 kB", "25 MB".
// A negative number is unknown and becomes "?".
func Bytes(n int64) string {
	if n < 0 {
		return "?"
	}
	units := []string{"kB", "MB", "GB", "TB", "PB", "EB"}
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, u := float64(n)/1000, 0
	// 999.95 would become 1000.0.
	for v >= 999.5 && u < len(units)-1 {
		v /= 1000
		u++
	}
	if v >= 99.95 || v == math.Trunc(v) {
		return fmt.Sprintf("%.0f %s", v, units[u])
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}

// Rate formats bytes per second: "1.2 MB/s". It returns "" for an unknown or invalid rate.
func Rate(bytesPerSecond float64) string {
	if !(bytesPerSecond > 0) || math.IsInf(bytesPerSecond, 0) {
		return ""
	}
	return Bytes(int64(min(bytesPerSecond, math.MaxInt64/2))) + "/s"
}

// Duration formats a duration in at most two units: "4 s", "2 min 05 s", "1 h 20 min",
// "3 d 4 h". Less than a second is "under 1 s".
func Duration(d time.Duration) string {
	switch s := int64(d / time.Second); {
	case s < 1:
		return "under 1 s"
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%d h %02d min", s/3600, s%3600/60)
	default:
		return fmt.Sprintf("%d d %d h", s/86400, s%86400/3600)
	}
}

// Age formats the time since t: "now", "40 s ago", "14 min ago", "3 h ago", "5 days ago",
// or the date from 60 days on. A time up to a minute after now is "now" (clocks
// differ); a later one is its date. The zero time is "never".
func Age(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	switch {
	case d < -time.Minute, d >= 60*24*time.Hour:
		return t.Local().Format(day)
	case d < 2*time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return Plural(int(d.Hours())/24, "day") + " ago"
}

const day = "2 Jan 2006"

// When formats a time: its age on the same day, such as "2 min ago", or "22 Nov 2026 08:07". The zero
// time is "".
func When(t, now time.Time) string {
	if d := now.Sub(t); d < -time.Minute || d >= 24*time.Hour {
		return Date(t)
	}
	return Age(t, now)
}

// Date formats a time without its age: "22 Nov 2026 08:07". The zero time is "".
func Date(t time.Time) string { return Either(t.IsZero(), "", t.Local().Format(day+" 15:04")) }

// Percent formats progress, at most 99 %, because sending all bytes does not mean that the
// service has answered. For an unknown or zero total it returns "".
func Percent(done, total int64) string {
	if total <= 0 {
		return ""
	}
	return fmt.Sprintf("%d %%", int(math.Min(99, Share(done, total)*100)))
}

// Count formats a number with separators: "100,000".
func Count(n int) string { return humanize.Comma(int64(n)) }

// Plural formats a number with a noun: "1 file", "12 files". It forms the plural with s.
func Plural(n int, word string) string {
	return Either(n == 1, "1 "+word, Count(n)+" "+word+"s")
}

// Share returns done divided by total, between 0 and 1; 0 for an unknown total.
func Share(done, total int64) float64 {
	if total <= 0 || done <= 0 {
		return 0
	}
	return math.Min(1, float64(done)/float64(total))
}

// About formats an estimated duration, from a minute on without seconds.
func About(d time.Duration) string {
	if d >= time.Minute {
		d = d.Round(time.Minute)
	}
	return strings.TrimSuffix(Duration(d), " 00 s")
}

// In formats the time from now until t: "in 4 s", "now".
func In(t, now time.Time) string {
	if left := t.Sub(now); left >= time.Second {
		return "in " + About(left)
	}
	return "now"
}
