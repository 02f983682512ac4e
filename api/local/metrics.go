package local

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"mediadesk/api/local/store"
)

// metricKinds lists all metrics in output order.
var metricKinds = []struct{ name, kind, help string }{
	{requestsMetric, "counter", "Requests by operation and status; status 0 is a broken connection"},
	{requestTimeMetric, "histogram", "Time from request to the last byte of the answer"},
	{recordsTimeMetric, "histogram", "Time of a transaction, with waiting"},
	{contentsTimeMetric, "histogram", "Time to open or store a content"},
	{runsEndedMetric, "counter", "Extension runs that this instance finished"},
	{runsPendingMetric, "gauge", "Pending extension runs of all instances"},
	{webhooksMetric, "gauge", "Undelivered webhook posts of all instances"},
	{upMetric, "gauge", "1 if this part of the library answers, else 0"},
}

const (
	requestsMetric     = "mediadesk_requests_total"
	requestTimeMetric  = "mediadesk_request_seconds"
	recordsTimeMetric  = "mediadesk_records_seconds"
	contentsTimeMetric = "mediadesk_contents_seconds"
	runsEndedMetric    = "mediadesk_runs_ended_total"
	runsPendingMetric  = "mediadesk_runs_pending"
	webhooksMetric     = "mediadesk_webhooks_waiting"
	upMetric           = "mediadesk_up"
)

// buckets are the upper bounds of the histograms, in seconds.
var buckets = []float64{0.005, 0.025, 0.1, 0.5, 2.5, 10}

// series names figures: a metric with label values.
type series struct{ name, labels string }

// figure is a number, or a histogram of durations.
type figure struct {
	n     int64
	sum   time.Duration
	below [6]int64 // counts by index of buckets, each with those before it
}

// metrics holds what was counted since the library was opened. The zero value is ready to use.
type metrics struct {
	mu  sync.Mutex
	all map[series]*figure
}

// at calls do with a figure.
func (m *metrics) at(name, labels string, do func(*figure)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.all[series{name, labels}]
	if f == nil {
		if m.all == nil {
			m.all = map[series]*figure{}
		}
		f = &figure{}
		m.all[series{name, labels}] = f
	}
	do(f)
}

func (m *metrics) count(name, labels string) { m.at(name, labels, func(f *figure) { f.n++ }) }

// since adds the time since start.
func (m *metrics) since(start time.Time, name, labels string) {
	took := time.Since(start)
	m.at(name, labels, func(f *figure) {
		f.n++
		f.sum += took
		for i, bound := range buckets {
			if took.Seconds() <= bound {
				f.below[i]++
			}
		}
	})
}

// request counts a request after its answer.
func (m *metrics) request(r *http.Request, status int, start time.Time) {
	route := "files"
	if isAPI(path.Clean("/" + r.URL.Path)) {
		route = cmp.Or(r.Pattern, "none")
	}
	method := r.Method
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.count(requestsMetric, `method="`+method+`",route="`+route+`",status="`+strconv.Itoa(status)+`"`)
	m.since(start, requestTimeMetric, `route="`+route+`"`)
}

// text returns all metrics and the gauges in the text format of Prometheus.
func (m *metrics) text(gauges map[series]int64) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[series]*figure{}
	maps.Copy(all, m.all)
	for s, n := range gauges {
		all[s] = &figure{n: n}
	}
	sorted := slices.SortedFunc(maps.Keys(all), func(a, b series) int { return cmp.Compare(a.labels, b.labels) })
	var b bytes.Buffer
	line := func(name, labels string, value any) {
		if labels != "" {
			labels = "{" + labels + "}"
		}
		fmt.Fprintln(&b, name+labels, value)
	}
	for _, kind := range metricKinds {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", kind.name, kind.help, kind.kind)
		for _, s := range sorted {
			f := all[s]
			switch {
			case s.name != kind.name:
			case kind.kind == "histogram":
				for i, bound := range buckets {
					line(s.name+"_bucket", fmt.Sprintf(`%s,le="%v"`, s.labels, bound), f.below[i])
				}
				line(s.name+"_bucket", s.labels+`,le="+Inf"`, f.n)
				line(s.name+"_sum", s.labels, f.sum.Seconds())
				line(s.name+"_count", s.labels, f.n)
			default:
				line(s.name, s.labels, f.n)
			}
		}
	}
	return b.Bytes()
}

// plainText is an answer in plain text.
type plainText []byte

// listMetrics returns the metrics, even while a part of the library is down.
func (l *Library) listMetrics(r *http.Request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), healthTime)
	defer cancel()
	database, storage := series{upMetric, `part="database"`}, series{upMetric, `part="storage"`}
	gauges := map[series]int64{database: 0, storage: 0}
	err := l.records.View(ctx, func(tx store.Tx) error {
		runs, posts, err := tx.Instances.Unfinished()
		if err == nil {
			gauges[series{name: runsPendingMetric}], gauges[series{name: webhooksMetric}], gauges[database] = int64(runs), int64(posts), 1
		}
		return err
	})
	l.report("no database figures in the metrics", err)
	if err := l.contents.Answers(ctx); err != nil {
		l.report("the metrics report the storage as down", err)
	} else {
		gauges[storage] = 1
	}
	return plainText(l.metrics.text(gauges)), nil
}
