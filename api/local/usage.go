package local

import (
	"net/http"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// traffic counts delivered bytes by day since the library was opened. The zero value is ready to
// use.
type traffic struct {
	mu    sync.Mutex
	bytes map[string]int64 // keyed by day as in time.DateOnly
}

func (t *traffic) add(at time.Time, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bytes == nil {
		t.bytes = map[string]int64{}
	}
	t.bytes[at.UTC().Format(time.DateOnly)] += n
}

func (t *traffic) between(start, end string) (n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for day, bytes := range t.bytes {
		if day >= start && day < end {
			n += bytes
		}
	}
	return n
}

// usage returns what the library uses: the storage of all versions now, and the bandwidth since it
// was opened.
func (l *Library) usage(r *http.Request) (any, error) {
	v := r.URL.Query()
	if err := checkParameters(v, "startDate", "endDate"); err != nil {
		return nil, err
	}
	start, startErr := time.Parse(time.DateOnly, v.Get("startDate"))
	end, endErr := time.Parse(time.DateOnly, v.Get("endDate"))
	switch {
	case startErr != nil || endErr != nil:
		return nil, badRequest("Your request contains invalid startDate or endDate parameter.", "Give both as days, such as 2026-01-31.")
	case !start.Before(end) || end.Sub(start) > rule.MaxUsageDays*24*time.Hour:
		return nil, badRequest("Your request contains invalid endDate parameter: it is not 1 to 89 days after startDate.", "Request fewer days; endDate itself is not included.")
	}
	used, err := store.View(r.Context(), l.records, func(tx store.Tx) (store.Usage, error) { return tx.Library.Usage(start, end) })
	if err != nil {
		return nil, err
	}
	return api.Usage{
		StorageBytes: api.Set(used.Bytes), BandwidthBytes: api.Set(l.traffic.between(v.Get("startDate"), v.Get("endDate"))),
		ExtensionUnits: api.Set(used.Runs), VideoUnits: api.Set[int64](0), OriginalStorageBytes: api.Set[int64](0),
	}, nil
}
