package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// OriginalURL returns the address of the stored file: hosted services deliver smaller pictures
// unless asked for the original (hosted-service.md §18).
func OriginalURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return address
	}
	query := u.Query()
	query.Set("tr", "orig-true")
	u.RawQuery = query.Encode()
	return u.String()
}

// Fetch opens a delivered file, such as a record's URL or thumbnail, from an offset in bytes. A
// service may send the complete file instead: at is the offset of the first byte, offset or 0. It
// sends no key and follows redirects. Reading fails beyond limit bytes of the file, and if no byte
// arrives for Options.StallTimeout.
func (c *Client) Fetch(ctx context.Context, address string, offset,
	limit int64,
) (body io.ReadCloser, at int64, err error) {
	limit = max(limit, 0) // a record may claim anything
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		cancel(nil)
		return nil, 0, err
	}
	req.Header.Set("User-Agent", c.agent)
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	res, err := (&http.Client{Transport: c.transport}).Do(req) //nolint:bodyclose // fetched closes it
	if err != nil {
		err = c.sendError(req, "download", false, err)
		cancel(nil)
		return nil, 0, err
	}
	partial := res.StatusCode == http.StatusPartialContent && offset > 0 &&
		strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", offset))
	if partial {
		at = offset
	}
	f := &fetched{client: c, req: req, body: res.Body, cancel: cancel, left: max(limit-at, 0), limit: limit}
	stalled := fmt.Errorf("no byte came for %s", c.stallTimeout)
	f.idle = time.AfterFunc(c.stallTimeout, func() { cancel(stalled) })
	f.idle.Stop()
	if res.StatusCode != http.StatusOK && !partial {
		defer f.Close()
		f.left = maxErrorBody
		text, _ := io.ReadAll(f) // a truncated message is still shown
		return nil, 0, newServiceError(res, text)
	}
	return f, at, nil
}

// noExpiry is the expiry in the signature of an address that never expires.
const noExpiry = "9999999999"

// SignedURL returns a delivery address with a signature made with the private key, as private
// files need it (service.md §4.1, isPrivateFile). A zero time means that it never expires. The
// address does not contain the key.
func (c *Client) SignedURL(address string, expires time.Time) (string, error) {
	rest, ours := strings.CutPrefix(address, c.delivery+"/")
	switch {
	case c.delivery == "" || !ours:
		return "", errors.New("the address " + Quote(address) + " is not one of the profile's delivery address, so it cannot be signed")
	case c.reveal == nil:
		return "", errors.New("an address cannot be signed without the private key")
	}
	until, mark := noExpiry, "?"
	if strings.Contains(rest, "?") {
		mark = "&"
	}
	if !expires.IsZero() {
		until = strconv.FormatInt(expires.Unix(), 10)
		mark += "ik-t=" + until + "&"
	}
	h := hmac.New(sha1.New, []byte(c.reveal()))
	h.Write([]byte(rest + until))
	return address + mark + "ik-s=" + hex.EncodeToString(h.Sum(nil)), nil
}

// fetched is the body of a delivered file. Reading fails beyond the limit and on a stall: net/http
// has no limit for that, and a limit for the total would end large files on slow lines.
type fetched struct {
	client *Client
	req    *http.Request
	body   io.ReadCloser
	cancel context.CancelCauseFunc
	idle   *time.Timer
	left   int64 // bytes
	limit  int64
}

func (f *fetched) Read(p []byte) (int, error) {
	if f.left < int64(len(p)) {
		p = p[:f.left+1] // one more than allowed, to detect a larger file
	}
	f.idle.Reset(f.client.stallTimeout)
	n, err := f.body.Read(p)
	f.idle.Stop()
	if int64(n) > f.left {
		return int(f.left), fmt.Errorf("it is larger than %s, so the rest was not fetched", DescribeSize(f.limit))
	}
	f.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.client.sendError(f.req, "download", false, err)
	}
	return n, err
}

func (f *fetched) Close() error {
	f.idle.Stop()
	f.cancel(nil)
	return f.body.Close()
}
