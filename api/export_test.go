package api

import "crypto/tls"

// TrustForTest makes the client take the certificates of a test server.
func (c *Client) TrustForTest(config *tls.Config) { c.transport.TLSClientConfig = config }
