package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// A Key gives the private key at the moment in which it goes into the
// Authorization header (service.md §5), and keeps it out of everything else.
type Key interface{ Reveal() string }

// Options say how a client reaches a service.
type Options struct {
	UploadURL   string // {upload_url} of the specification
	BaseURL     string // {base_url}
	DeliveryURL string // {delivery_url}; empty where files are not fetched
	Key         Key    // nil: requests go without a key
	UserAgent   string // empty: "mediadesk"

	// Insecure allows plain http to hosts of private networks, where others can
	// read the key on its way.
	Insecure bool

	// Stall is how long an upload may go without a byte; 0: 60 s.
	Stall time.Duration
	// Answer is how long the service may think after the last byte; 0: 120 s.
	Answer time.Duration

	// Waiting is called with the wait requested by the service, if it is long enough to notice; may
	// be nil.
	Waiting func(time.Duration)
}

// Client sends the operations of the specification. It is safe for use by
// several goroutines.
//
// The key goes to the hosts of UploadURL and BaseURL only, only over https or
// to this computer (see Options.Insecure), and never after a redirect: no
// redirect is followed.
type Client struct {
	upload, base string
	delivery     string
	// reveal returns the key, or is nil without one. It is a function, since printing a struct
	// would show a value.
	reveal    func() string
	masker    func() *masker // of that key
	agent     string
	stall     time.Duration
	answer    time.Duration
	transport *http.Transport
	hold      *hold
	waiting   func(time.Duration)
	// bare: something on the way refuses requests with Expect: 100-continue.
	bare *atomic.Bool
}

// NewClient returns a client for the addresses of o. It fails where an address
// cannot be used; ErrInsecure where one would carry the key over plain http to
// another computer.
func NewClient(o Options) (*Client, error) {
	c := &Client{agent: o.UserAgent, stall: o.Stall, answer: o.Answer, bare: new(atomic.Bool), hold: new(hold), waiting: o.Waiting}
	if o.Key != nil {
		c.reveal = o.Key.Reveal
	}
	c.masker = maskerOf(c.reveal)
	if c.agent == "" {
		c.agent = "mediadesk"
	}
	if c.stall <= 0 {
		c.stall = 60 * time.Second
	}
	if c.answer <= 0 {
		c.answer = 120 * time.Second
	}
	var err error
	if c.upload, err = cleanBase("upload address", o.UploadURL, o.Insecure); err != nil {
		return nil, err
	}
	if c.base, err = cleanBase("base address", o.BaseURL, o.Insecure); err != nil {
		return nil, err
	}
	if o.DeliveryURL != "" {
		if c.delivery, err = cleanBase("delivery address", o.DeliveryURL, o.Insecure); err != nil {
			return nil, err
		}
	}
	c.transport = newTransport(c.answer, o.Insecure)
	return c, nil
}

// Close lets go of idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func newTransport(answer time.Duration, insecure bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: proxyFor,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			// "localhost" and names of a private network are trusted with plain
			// http by their name; a name server that sends them elsewhere must
			// not get the key.
			host, _, _ := net.SplitHostPort(addr)
			remote, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
			if IsLoopback(host) && !IsLoopback(remote) || insecure && isPrivate(host) && !isPrivate(remote) {
				conn.Close()
				return nil, fmt.Errorf("%s leads to %s: %w", host, conn.RemoteAddr(), ErrInsecure)
			}
			return newPatientConn(conn), nil
		},
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: answer,
		ExpectContinueTimeout: time.Second,
		OnProxyConnectResponse: func(_ context.Context, proxy *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode != http.StatusOK {
				return &proxyError{host: proxy.Host, err: errors.New("it answered " + res.Status)}
			}
			return nil
		},
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		WriteBufferSize:     32 << 10,
	}
}

// proxyFor asks the environment for a proxy, but never for this computer, and not
// for plain http to a private network: the proxy would read the key, and the
// environment's own exception does not know every spelling of localhost.
func proxyFor(req *http.Request) (*url.URL, error) {
	if IsLoopback(req.URL.Hostname()) || req.URL.Scheme == "http" && isPrivate(req.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(req)
}

// cleanBase checks a configured address and returns it without a slash at the
// end.
func cleanBase(what, text string, insecure bool) (string, error) {
	// First, and without showing it: what stands before an @ may be the key.
	if strings.Contains(text, "@") {
		return "", fmt.Errorf("%s holds a user name or password: leave it out, the key is sent by itself", what)
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s %s is not an http or https address", what, quote(text))
	}
	if strings.ContainsAny(text, "?#") {
		return "", fmt.Errorf("%s %s has a part after ? or #: leave it out", what, quote(text))
	}
	if u.Scheme == "http" && !IsLoopback(u.Hostname()) && (!insecure || !IsPrivateHost(text)) {
		return "", fmt.Errorf("%s %s: %w", what, quote(text), ErrInsecure)
	}
	return strings.TrimRight(text, "/"), nil
}

// Host is the name and port of the service that uploads go to.
func (c *Client) Host() string {
	u, _ := url.Parse(c.upload) // checked by NewClient
	return u.Host
}

// UploadAddress is where uploads are posted.
func (c *Client) UploadAddress() string { return c.upload + "/api/v1/files/upload" }

// Upload sends u and returns the record of the stored file (service.md §4.1). Bytes are
// counted in progress, which may be nil. The body is streamed with its exact
// length.
//
// Errors: a *RuleError or *SourceError before anything is sent, a
// *ServiceError for an answer that is no success, a *SendError where no answer
// came, ErrNoRecord for a success without a record. OutcomeOf tells what each
// means for the file.
func (c *Client) Upload(ctx context.Context, u *Upload, progress *Progress) (*File, error) {
	if problems := u.Check(); len(problems) > 0 {
		return nil, problems[0]
	}
	if u.Source.Path == "" && u.Source.URL == "" {
		return nil, &RuleError{Field: "file", Message: "file is missing: there is nothing to send", Help: "Pick a file or give an address."}
	}
	expect := !c.bare.Load()
	file, err := c.send(ctx, u, progress, expect)
	var answer *ServiceError
	if expect && errors.As(err, &answer) && answer.Status == http.StatusExpectationFailed && !answer.Complete {
		// Nothing of the file went out (RFC 9110 §15.5.18).
		c.bare.Store(true)
		return c.send(ctx, u, progress, false)
	}
	return file, err
}

// askFirst is the size in bytes from which a body waits until the service wants
// it.
const askFirst = 64 << 10

// closeAfter is the size in bytes from which a connection serves one upload. A
// refused request owes its body to a connection that is used again, and
// net/http then sends it beside the answer; with "Connection: close" it sends
// nothing. A new connection costs far less than such a body.
const closeAfter = 1 << 20

// send is Upload of what may be sent. expect: a service may refuse a large body
// before it goes out.
func (c *Client) send(ctx context.Context, u *Upload, progress *Progress, expect bool) (*File, error) {
	// A hash that nobody can read is not made.
	b, err := newBody(u, progress != nil)
	if err != nil {
		return nil, err
	}
	defer b.close()
	if b.length <= wholeBody {
		if err := b.readWhole(); err != nil {
			return nil, err
		}
	}
	if progress == nil {
		progress = new(Progress)
	}
	progress.start(b.length)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := newWatchdog(c.stall, progress.Sent, cancel)
	defer watchdog.stop()
	counting := &counted{from: b.reader, progress: progress, watchdog: watchdog}
	defer counting.end()
	reader, complete := io.Reader(counting), progress.Complete
	var copied atomic.Bool // the transport reads no more of the body
	var conn atomic.Pointer[net.Conn]
	trace := &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			conn.Store(&info.Conn)
			counting.goesOver(info.Conn)
		},
		WroteRequest: func(httptrace.WroteRequestInfo) { watchdog.wrote() },
	}
	if b.whole != nil {
		// Only with a body that net/http knows to be in memory does it wait
		// with the header and write both at once. It says so before it writes.
		reader = b.reader
		trace.WroteHeaders = func() { counting.countSent(b.length) }
		trace.WroteRequest = func(httptrace.WroteRequestInfo) {
			watchdog.bodySent(c.stall + c.answer)
			copied.Store(true)
		}
		complete = func() bool {
			if on := conn.Load(); on != nil && writeFailed(*on) {
				progress.reset()
			}
			return progress.Complete()
		}
	}
	ctx = httptrace.WithClientTrace(ctx, trace)
	// NopCloser: the file is closed here, once no more of it counts.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.UploadAddress(), io.NopCloser(reader))
	if err != nil {
		return nil, err
	}
	req.ContentLength = b.length
	req.Header.Set("Content-Type", b.contentType)
	if expect && b.length > askFirst {
		// A refusal by key, name or limit then comes before the bytes go out.
		req.Header.Set("Expect", "100-continue")
		req.Close = b.length > closeAfter
	}
	file := new(File)
	err = c.do(req, exchange{op: opUpload, complete: complete, answered: watchdog.answered, ended: counting.end}, file)
	if copied.Load() {
		b.recycle()
	}
	if b.file != nil && b.file.hash != nil && progress.Complete() {
		sum := b.file.hash.sum()
		progress.hash.Store(&sum)
	}
	if err != nil {
		return nil, err
	}
	return c.withRecord(file)
}

// withRecord returns file, or ErrNoRecord where an answer with success holds
// none.
func (c *Client) withRecord(file *File) (*File, error) {
	if file.FileID != "" {
		return file, nil
	}
	if words := c.describeRecord(file); words != "" {
		return nil, fmt.Errorf("%w: %s", ErrNoRecord, words)
	}
	return nil, ErrNoRecord
}

// describeRecord returns the message of an answer without a record, or "".
func (c *Client) describeRecord(file *File) string {
	var answer struct{ Message json.RawMessage }
	if json.Unmarshal(file.Raw, &answer) != nil || len(answer.Message) == 0 {
		return ""
	}
	return clip(jsonText(answer.Message), 300)
}

// UpdateDetails changes tags or custom coordinates of a file and returns its
// record (service.md §4.2).
func (c *Client) UpdateDetails(ctx context.Context, fileID string, d Details) (*File, error) {
	if problems := d.Check(); len(problems) > 0 {
		return nil, problems[0]
	}
	return c.performFile(ctx, opUpdate)(c.DescribeUpdate(fileID, d))
}

// DescribeUpdate returns the request that UpdateDetails would send.
func (c *Client) DescribeUpdate(fileID string, d Details) (Request, error) {
	if err := checkID(fileID); err != nil {
		return Request{}, err
	}
	text, err := json.Marshal(d)
	return Request{Method: http.MethodPatch, Address: c.fileAddress(fileID, "details"), Body: string(text)}, err
}

// Details reads the record of a file. It is not in the specification: a hosted
// service and the local library have it, others answer 404.
func (c *Client) Details(ctx context.Context, fileID string) (*File, error) {
	return c.performFile(ctx, "details")(c.DescribeDetails(fileID))
}

// DescribeDetails returns the request that Details would send.
func (c *Client) DescribeDetails(fileID string) (Request, error) {
	if err := checkID(fileID); err != nil {
		return Request{}, err
	}
	return Request{Method: http.MethodGet, Address: c.fileAddress(fileID, "details")}, nil
}

// perform returns a function that sends the request of a Describe function and decodes the answer
// into v, which may be nil.
func (c *Client) perform(ctx context.Context, op string, v any) func(Request, error) error {
	return func(r Request, err error) error {
		if err != nil {
			return err
		}
		return c.call(ctx, r, op, v)
	}
}

// performFile is perform for an answer that is the record of a file.
func (c *Client) performFile(ctx context.Context, op string) func(Request, error) (*File, error) {
	return func(r Request, err error) (*File, error) {
		file := new(File)
		if err := c.perform(ctx, op, file)(r, err); err != nil {
			return nil, err
		}
		return c.withRecord(file)
	}
}

// Unavailable reports whether err says that the service does not have an
// optional ability, such as listing.
func Unavailable(err error) bool {
	var answer *ServiceError
	return errors.As(err, &answer) && (answer.Status == http.StatusNotFound || answer.Status == http.StatusMethodNotAllowed || answer.Status == http.StatusNotImplemented)
}

// How much of an answer is read, in bytes. A listing of 1,000 records with all
// their metadata stays far below maxAnswer, and a record far below maxRecord: its
// tags have 500 characters at most (service.md §4.1).
const (
	maxAnswer = 64 << 20
	maxRecord = 1 << 20
)

// Operations that errors know.
const (
	opUpload = "upload"
	opUpdate = "update of details"
)

// exchange is what a request wants of do beside the sending.
type exchange struct {
	op       string                    // what is tried, for errors
	complete func() bool               // whether all of it may have arrived
	answered func(limit time.Duration) // called when the answer begins; may be nil
	ended    func()                    // called after the answer was read; may be nil
}

// call sends a request and reads the JSON answer into v. If the service wants fewer
// requests, it waits and sends it again.
func (c *Client) call(ctx context.Context, r Request, op string, v any) error {
	var last error
	for began := time.Now(); ; {
		if err := c.hold.wait(ctx, op); err != nil {
			if last == nil || ctx.Err() != nil {
				last = &SendError{Op: op, Host: c.Host(), Err: err}
			}
			return last
		}
		if last = c.callOnce(ctx, r, op, v); last == nil {
			return nil
		}
		wait, again := holdAsked(last)
		if !again || time.Since(began)+wait > longestHold {
			return last
		}
		c.hold.extend(op, wait)
		if c.waiting != nil && time.Since(began)+wait >= noticed && c.hold.tells() {
			c.waiting(wait)
		}
	}
}

// callOnce is call without a repeat, under a time limit of its own.
func (c *Client) callOnce(ctx context.Context, r Request, op string, v any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.answer, timeoutError("no answer within "+c.answer.String()))
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, r.Method, r.Address, strings.NewReader(r.Body))
	if err != nil {
		return err
	}
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.do(req, exchange{op: op, complete: func() bool { return r.Method != http.MethodGet && sent.Load() }}, v)
}

// do sends a request with the key and reads its answer into v; nil: only whether
// it is a success counts.
func (c *Client) do(req *http.Request, x exchange, v any) error {
	// net/http sends a request again by itself if it can rewind the body; an
	// upload must never be sent twice without our knowing.
	req.GetBody = nil
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "application/json")
	if c.reveal != nil {
		req.SetBasicAuth(c.reveal(), "")
	}
	// The transport by itself: an http.Client would look at redirects, and
	// lose the answer where one leads nowhere.
	began := time.Now()
	var connected atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}))
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		slog.Debug("request", "op", x.op, "method", req.Method, "host", req.URL.Host, "path", req.URL.Path, "took", time.Since(began), "err", c.masker().String(rootCause(err)))
		err := c.sendError(req, x.op, x.complete(), err)
		if failed, ok := errors.AsType[*SendError](err); ok {
			failed.NoConnection = !connected.Load()
		}
		return err
	}
	defer res.Body.Close()
	if x.ended != nil {
		defer x.ended() // before the body is closed, which may wait for the sending to end
	}
	slog.Debug("request", "op", x.op, "method", req.Method, "host", req.URL.Host, "path", req.URL.Path, "took", time.Since(began), "status", res.StatusCode)
	if x.answered != nil {
		x.answered(c.answer)
	}
	refused := res.StatusCode < 200 || res.StatusCode > 299
	_, record := v.(*File)
	limit := maxAnswer
	switch {
	case refused:
		limit = maxErrorBody
	case record:
		limit = maxRecord
	}
	text, err := c.read(res, limit)
	switch {
	case refused: // what came is shown, a cut is no further error
		e := newServiceError(res, text[:min(len(text), limit)])
		e.Complete = x.complete()
		return e
	case err != nil:
		// An answer had begun, so the service had the whole request.
		return c.sendError(req, x.op, req.Method != http.MethodGet, err)
	case len(text) > limit:
		return fmt.Errorf("%w: the answer is larger than %s", ErrNoRecord, describeSize(int64(limit)))
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%w: %s", ErrNoRecord, describeNoRecord(res, text, err))
	}
	if file, ok := v.(*File); ok && file.FileID == "" && res.StatusCode == http.StatusAccepted {
		return &AcceptedError{Message: cmp.Or(c.describeRecord(file), "no message"), RequestID: requestID(res.Header)}
	}
	return nil
}

// read returns the body of an answer, one byte more than limit at most. It is the
// only place where answers to requests with the key are read: the key is masked
// here, in the header too, before anything else sees it.
func (c *Client) read(res *http.Response, limit int) ([]byte, error) {
	m := c.masker()
	for _, values := range res.Header {
		for i := range values {
			values[i] = m.String(values[i])
		}
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, int64(limit)+1))
	return m.mask(text), err
}

func describeNoRecord(res *http.Response, text []byte, err error) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return "the answer is empty"
	}
	if !json.Valid(text) {
		return describeBody(res, text[:min(len(text), maxErrorBody)])
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return "the answer is JSON, but no object: " + clip(string(bytes.TrimSpace(text)), 100)
	}
	return err.Error()
}

// sendError makes an error of a request without an answer. It names the
// source's own fault where that ended the request.
func (c *Client) sendError(req *http.Request, op string, complete bool, err error) error {
	if source, ok := errors.AsType[*SourceError](err); ok {
		return source
	}
	if cause := context.Cause(req.Context()); cause != nil {
		err = cause
	}
	var dial *net.OpError
	if errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect") {
		complete = false
	}
	if proxy, _ := c.transport.Proxy(req); proxy != nil && dial != nil && dial.Op == "proxyconnect" {
		err = &proxyError{host: proxy.Host, err: err}
	}
	// What is no HTTP is quoted by net/http, and may repeat the key.
	if text := rootCause(err); c.masker().String(text) != text {
		err = errors.New(c.masker().String(text))
	}
	return &SendError{Op: op, Host: req.URL.Host, Complete: complete, Err: err}
}
