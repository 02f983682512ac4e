//go:build !linux && !darwin

package local

import (
	"context"
	"net"
)

// limitUnsent does nothing: there is no such setting here.
func limitUnsent(ctx context.Context, _ net.Conn) context.Context { return ctx }
