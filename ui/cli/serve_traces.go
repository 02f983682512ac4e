package cli

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The variables of OpenTelemetry that say whether spans are sent; the exporter reads those
// that say how.
const (
	tracesEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesProtocol = "OTEL_EXPORTER_OTLP_PROTOCOL"
)

// tracesTime is how long the last spans may take to be sent.
const tracesTime = 5 * time.Second

// startTraces returns what makes the spans of the requests, if the variables of
// OpenTelemetry name a receiver; else nil. stop sends the last spans.
func startTraces(ctx context.Context, p *Program, log *slog.Logger) (traces trace.TracerProvider, stop func(), err error) {
	of := func(name string) string { // the variables of traces come before those of all signals
		return cmp.Or(p.Getenv(strings.Replace(name, "OTLP_", "OTLP_TRACES_", 1)), p.Getenv(name))
	}
	none := p.Getenv("OTEL_TRACES_EXPORTER") == "none" || strings.EqualFold(p.Getenv("OTEL_SDK_DISABLED"), "true")
	if of(tracesEndpoint) == "" || none {
		return nil, func() {}, nil
	}
	if protocol := of(tracesProtocol); protocol != "" && protocol != "http/protobuf" {
		return nil, nil, usage("%s: traces are sent by http/protobuf only, usually to port 4318; set OTEL_TRACES_EXPORTER=none for none", tracesProtocol)
	}
	otel.SetLogger(logr.Discard()) // it would show the values of wrong variables
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not sent", "error", err) }))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "mediadesk"), attribute.String("service.version", p.Version)), resource.WithFromEnv())
	if err != nil {
		log.Warn("OTEL_RESOURCE_ATTRIBUTES cannot be read completely")
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return provider, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesTime)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces are lost", "error", err)
		}
	}, nil
}
