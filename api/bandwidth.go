package api

import (
	"net"
	"sync"
	"time"
)

type bandwidth struct {
	rate int64
	mu   sync.Mutex
	free time.Time // when the bytes so far have had their time
}

// chunk returns how many bytes are sent or received at a time: those of a twentieth of a second.
func (l *bandwidth) chunk() int { return int(max(1, min(l.rate/20, 32<<10))) }

func (l *bandwidth) spend(n int) {
	l.mu.Lock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	wait := l.free.Sub(now)
	l.mu.Unlock()
	<-time.After(wait)
}

type limitedConn struct {
	net.Conn
	limit *bandwidth
}

func (c limitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), c.limit.chunk())])
	c.limit.spend(n)
	return n, err
}

func (c limitedConn) Write(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		end := min(len(p), written+c.limit.chunk())
		var n int
		n, err = c.Conn.Write(p[written:end])
		written += n
		c.limit.spend(n)
	}
	return written, err
}
