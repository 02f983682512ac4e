package local

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const scope = "mediadesk/api/local" // of the spans

// traced begins the span of a request, if requests are traced. It belongs to the trace of
// the caller, if the header names one. observe ends it.
func (l *Library) traced(r *http.Request) *http.Request {
	if l.o.Traces == nil {
		return r
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, _ = l.o.Traces.Tracer(scope).Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx)
}

// endTrace ends the span of a request. Its attributes have nothing that the client chose
// freely: addresses have signatures, and names may be private.
func endTrace(r *http.Request, method, route string, status int, id string) {
	span := trace.SpanFromContext(r.Context())
	if !span.IsRecording() {
		return
	}
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status), attribute.String("mediadesk.request_id", id))
	if status == 0 || status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// access measures an access to a part of the library until done is called: for a metric,
// and as a span of the request in ctx.
func (m *metrics) access(ctx context.Context, metric, access string) (done func(error)) {
	start := time.Now()
	span := trace.SpanFromContext(ctx)
	if span.IsRecording() {
		_, span = span.TracerProvider().Tracer(scope).Start(ctx, spanNames[metric]+" "+access)
	} else {
		span = nil
	}
	return func(err error) {
		m.since(start, metric, `access="`+access+`"`)
		if span == nil {
			return
		}
		if err != nil {
			span.SetStatus(codes.Error, "") // its text may have names and addresses
		}
		span.End()
	}
}

var spanNames = map[string]string{recordsTimeMetric: "records", contentsTimeMetric: "contents"}
