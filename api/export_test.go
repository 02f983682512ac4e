package api

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
)

// TrustForTest makes the client trust the certificates of a test server.
func (c *Client) TrustForTest(config *tls.Config) { c.transport.TLSClientConfig = config }

// ProxyForTest makes the client use a proxy, as the environment would.
func (c *Client) ProxyForTest(address string) {
	proxy, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	c.transport.Proxy = http.ProxyURL(proxy)
}

// WrapForTest wraps the connections of the client.
func (c *Client) WrapForTest(wrap func(net.Conn) net.Conn) {
	c.transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &lateErrorConn{Conn: wrap(conn), leaving: make(chan struct{})}, nil
	}
}

// WholeBody is the size up to which a body is sent in one write.
const WholeBody = wholeBody

// OpenSource opens a file for sending.
var OpenSource = openSource
