//go:build !linux && !darwin

package local

import (
	"context"
	"net"
)

// limitUnsent does nothing: this system has no such setting.
func limitUnsent(ctx context.Context, _ net.Conn) context.Context { return ctx }
