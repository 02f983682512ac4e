package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lateErrorTimeout is how long a failed write waits for the answer that explains it. A caller that
// waits for the answer closes the connection far earlier; this is for a peer that disappeared
// without closing it.
const lateErrorTimeout = 5 * time.Second

// lateErrorConn reports a failed write only after the connection is closed.
//
// A service that refuses an upload early answers and closes while bytes are still in transit. The
// kernel then fails the next write, although the answer is ready to be read, and net/http reports
// whichever it sees first. With the delay, the answer wins; without an answer, the failing read
// closes the connection at once. Otherwise, six of the eight kinds of refusal in
// TestEarlyRefusal are reported as "connection reset by peer".
type lateErrorConn struct {
	net.Conn
	once    sync.Once
	leaving chan struct{} // closed when the connection is closed
	broken  atomic.Bool   // a write failed
}

func (c *lateErrorConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil {
		c.broken.Store(true)
		select {
		case <-c.leaving:
		case <-time.After(lateErrorTimeout):
		}
	}
	return n, err
}

func (c *lateErrorConn) Close() error {
	c.leave()
	return c.Conn.Close()
}

// SetWriteDeadline is the first call of TLS when closing: from then on, no answer is expected.
func (c *lateErrorConn) SetWriteDeadline(at time.Time) error {
	c.leave()
	return c.Conn.SetWriteDeadline(at)
}

// writeFailed reports whether a write failed on a connection that a single request uses, as with
// HTTP/1: then its last byte was not sent.
func writeFailed(conn net.Conn) bool {
	if secure, ok := conn.(*tls.Conn); ok {
		if secure.ConnectionState().NegotiatedProtocol == "h2" {
			return false
		}
		conn = secure.NetConn()
	}
	late, ok := conn.(*lateErrorConn)
	return ok && late.broken.Load()
}

func (c *lateErrorConn) leave() { c.once.Do(func() { close(c.leaving) }) }

type proxyError struct {
	host string // host and port of the proxy
	err  error
}

func (e *proxyError) Error() string { return "the proxy " + e.host + ": " + describeSend(e.err) }

func (e *proxyError) Unwrap() error { return e.err }

// DescribeUnreached explains why a host could not be reached and what helps, if the cause is name
// resolution, the certificate, the listener or a proxy; otherwise both are empty. The text contains
// no address but the proxy's.
func DescribeUnreached(err error) (what, help string) {
	var proxy *proxyError
	var name *net.DNSError
	var cert *tls.CertificateVerificationError
	var otherHost x509.HostnameError
	var invalid x509.CertificateInvalidError
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &proxy):
		return proxy.Error(), "It comes from HTTPS_PROXY of the environment: correct it, or name hosts in NO_PROXY that need no proxy."
	case errors.As(err, &name) && name.IsNotFound:
		return "DNS does not know this name", "Check the URL and the network; behind a proxy set HTTPS_PROXY."
	case errors.As(err, &name):
		return "DNS does not answer", "Check the URL and the network; behind a proxy set HTTPS_PROXY."
	case errors.As(err, &otherHost):
		return describeCert(err), "The certificate is for another host. Check the URL; a network that asks for a log-in first shows its own."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return describeCert(err), "Check the clock of this computer; if it is right, the service has to renew its certificate."
	case errors.As(err, &cert):
		return describeCert(err), "Where a proxy of your network opens connections, its certificate must be among the system's."
	case errors.As(err, &plain):
		return "what listens there does not speak TLS", "Check the URL and its port: https needs a service that speaks it."
	}
	return "", ""
}

// describeCert describes an error of the certificate check, which is more specific than the errors
// that wrap it.
func describeCert(err error) string {
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = cert.Err
	}
	return "its certificate is not trusted (" + err.Error() + ")"
}
