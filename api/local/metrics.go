package local

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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

// series is one line of figures: a metric with label values.
type series struct{ name, labels string }

// histogram counts durations.
type histogram struct {
	sum   time.Duration
	count int64
	below [6]int64 // counts by index of buckets, not cumulative
}

// metrics holds what was counted since the library was opened. The zero value is ready to use.
type metrics struct {
	mu     sync.Mutex
	counts map[series]int64
	times  map[series]*histogram
}

func (m *metrics) count(name, labels string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[series]int64{}
	}
	m.counts[series{name, labels}]++
}

// since adds the time since start.
func (m *metrics) since(start time.Time, name, labels string) {
	took := time.Since(start)
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.times[series{name, labels}]
	if h == nil {
		if m.times == nil {
			m.times = map[series]*histogram{}
		}
		h = &histogram{}
		m.times[series{name, labels}] = h
	}
	h.count++
	h.sum += took
	if i, _ := slices.BinarySearch(buckets, took.Seconds()); i < len(buckets) {
		h.below[i]++
	}
}

// request counts a request after its answer, and ends its span.
func (m *metrics) request(r *http.Request, status int, id string, start time.Time) {
	route := "files"
	if isAPI(path.Clean("/" + r.URL.Path)) {
		if route = r.Pattern; route == "" || route == "/" {
			route = "none"
		}
	}
	method := r.Method
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.count(requestsMetric, `method="`+method+`",route="`+route+`",status="`+strconv.Itoa(status)+`"`)
	m.since(start, requestTimeMetric, `route="`+route+`"`)
	endTrace(r, method, route, status, id)
}

// text returns all metrics and the gauges in the text format of Prometheus.
func (m *metrics) text(gauges map[series]int64) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b bytes.Buffer
	for _, kind := range metricKinds {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", kind.name, kind.help, kind.kind)
		for _, figures := range []map[series]int64{m.counts, gauges} {
			for _, s := range ofMetric(figures, kind.name) {
				line(&b, s.name, s.labels, strconv.FormatInt(figures[s], 10))
			}
		}
		for _, s := range ofMetric(m.times, kind.name) {
			h, up := m.times[s], int64(0)
			for i, bound := range buckets {
				up += h.below[i]
				line(&b, s.name+"_bucket", join(s.labels, `le="`+strconv.FormatFloat(bound, 'g', -1, 64)+`"`), strconv.FormatInt(up, 10))
			}
			line(&b, s.name+"_bucket", join(s.labels, `le="+Inf"`), strconv.FormatInt(h.count, 10))
			line(&b, s.name+"_sum", s.labels, strconv.FormatFloat(h.sum.Seconds(), 'g', -1, 64))
			line(&b, s.name+"_count", s.labels, strconv.FormatInt(h.count, 10))
		}
	}
	return b.Bytes()
}

// ofMetric returns the series of a metric, sorted.
func ofMetric[T any](all map[series]T, name string) (list []series) {
	for s := range all {
		if s.name == name {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b series) int { return cmp.Compare(a.labels, b.labels) })
	return list
}

func join(labels, last string) string {
	if labels == "" {
		return last
	}
	return labels + "," + last
}

func line(b *bytes.Buffer, name, labels, value string) {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	b.WriteString(name + labels + " " + value + "\n")
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
		runs, posts, err := tx.Unfinished()
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
