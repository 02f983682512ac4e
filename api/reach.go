package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
)

// proxyError reports that the proxy of the environment failed.
type proxyError struct {
	host string // host and port of the proxy
	err  error
}

func (e *proxyError) Error() string { return "the proxy " + e.host + ": " + describeSend(e.err) }

func (e *proxyError) Unwrap() error { return e.err }

// Unreached explains why a host could not be reached and what helps, if the cause is name
// resolution, the certificate, the listener or a proxy; otherwise both are empty. The text contains
// no address but the proxy's.
func Unreached(err error) (what, help string) {
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
		return "DNS does not know this name", "Check the address and the network; behind a proxy set HTTPS_PROXY."
	case errors.As(err, &name):
		return "DNS does not answer", "Check the address and the network; behind a proxy set HTTPS_PROXY."
	case errors.As(err, &otherHost):
		return describeCert(err), "The certificate is for another host. Check the address; a network that asks for a log-in first shows its own."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return describeCert(err), "Check the clock of this computer; if it is right, the service has to renew its certificate."
	case errors.As(err, &cert):
		return describeCert(err), "Where a proxy of your network opens connections, its certificate must be among the system's."
	case errors.As(err, &plain):
		return "what listens there does not speak TLS", "Check the address and its port: https needs a service that speaks it."
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
