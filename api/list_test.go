package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"mediadesk/api"
)

// pages answers listings of n records. What it makes of skip and limit is up to
// the functions.
func pages(t *testing.T, n int, from func(skip int) int, size func(limit int) int) (*api.Client, *int) {
	calls := 0
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls > 20 {
			http.Error(w, `{"message":"too many calls"}`, http.StatusTeapot)
			return
		}
		skip, _ := strconv.Atoi(r.FormValue("skip"))
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		first := from(skip)
		var list []string
		for i := first; i < min(n, first+size(limit)); i++ {
			list = append(list, fmt.Sprintf(`{"type":"file","fileId":"id%d"}`, i))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(list, ","))
	}), &calls
}

// TestAllEnds: a listing ends, whatever the service makes of skip and limit, and has each record once.
func TestAllEnds(t *testing.T) {
	as := func(n int) int { return n }
	for _, tt := range []struct {
		about string
		from  func(int) int
		size  func(int) int
		want  int
		calls int
		err   error
	}{
		{"as asked", as, as, 25, 3, nil},
		{"skip is ignored", func(int) int { return 0 }, as, 10, 2, api.ErrSamePage},
		{"both are ignored", func(int) int { return 0 }, func(int) int { return 99 }, 25, 2, nil},
		{"limit is ignored", as, func(int) int { return 99 }, 25, 2, nil},
		{"rows move by three meanwhile", func(skip int) int { return max(0, skip-3) }, as, 25, 3, nil},
	} {
		c, calls := pages(t, 25, tt.from, tt.size)
		seen, failed := map[string]int{}, error(nil)
		for f, err := range c.All(t.Context(), api.Query{Limit: 10}) {
			if err != nil {
				failed = err
				break
			}
			seen[f.FileID]++
		}
		if len(seen) != tt.want || *calls != tt.calls || !errors.Is(failed, tt.err) {
			t.Errorf("%s: %d records in %d calls, %v", tt.about, len(seen), *calls, failed)
		}
		for id, n := range seen {
			if n > 1 {
				t.Errorf("%s: got %s %d times", tt.about, id, n)
			}
		}
	}
}
