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

// Key returns the private key only when it is written into the Authorization header
// (service.md §5).
type Key interface{ Reveal() string }

// Options configures a client.
type Options struct {
	UploadURL   string // {upload_url} of the specification
	BaseURL     string // {base_url}
	DeliveryURL string // {delivery_url}; may be empty
	Key         Key    // nil means requests without a key
	UserAgent   string // "" means "mediadesk"

	// Insecure allows plain http to hosts of private networks, where others can intercept the key.
	Insecure bool

	// Rate limits the bytes a second of all transfers together; 0 for no limit.
	Rate int64

	// StallTimeout is how long an upload may go without sending a byte; 0 means 60 s.
	StallTimeout time.Duration
	// AnswerTimeout is how long to wait for the answer after the last byte; 0 means 120 s.
	AnswerTimeout time.Duration

	// Waiting is called with a notice, such as "the service limits requests; waiting 5 s", if the
	// service requests a wait that is long enough to notice. It may be nil.
	Waiting func(notice string)
}

// Client sends the operations of the specification. It is safe for concurrent use.
//
// It sends the key only to the hosts of UploadURL and BaseURL, and only over https or to this
// computer (see Options.Insecure). It follows no redirects with it.
type Client struct {
	upload, base string
	delivery     string
	// reveal returns the key; it is nil without one. It is a function, because printing a struct
	// would print a value.
	reveal        func() string
	masker        func() *strings.Replacer // of that key
	agent         string
	stallTimeout  time.Duration
	answerTimeout time.Duration
	transport     *http.Transport
	hold          *hold
	waiting       func(notice string)
}

// NewClient returns a client for the addresses of o. It returns an error for an unusable address,
// and ErrInsecure if the key would go over plain http to another computer.
func NewClient(o Options) (*Client, error) {
	c := &Client{
		agent: cmp.Or(o.UserAgent, "mediadesk"), stallTimeout: cmp.Or(o.StallTimeout, 60*time.Second),
		answerTimeout: cmp.Or(o.AnswerTimeout, 120*time.Second), waiting: o.Waiting,
		hold: &hold{until: map[string]time.Time{}},
	}
	if o.Key != nil {
		c.reveal = o.Key.Reveal
	}
	c.masker = maskerOf(c.reveal)
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
	c.transport = newTransport(c.answerTimeout, o.Insecure, o.Rate)
	return c, nil
}

func (c *Client) Close() { c.transport.CloseIdleConnections() }

func newTransport(answerTimeout time.Duration, insecure bool, rate int64) *http.Transport {
	limit := &bandwidth{rate: rate}
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: proxyFor,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			// "localhost" and names of a private network are trusted with plain http because of
			// their name. If DNS resolves them to another network, that must not get the key.
			host, _, _ := net.SplitHostPort(addr)
			remote, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
			if IsLoopback(host) && !IsLoopback(remote) || insecure && isPrivate(host) && !isPrivate(remote) {
				conn.Close()
				return nil, fmt.Errorf("%s leads to %s: %w", host, conn.RemoteAddr(), ErrInsecure)
			}
			if rate > 0 {
				conn = limitedConn{conn, limit}
			}
			return &lateErrorConn{Conn: conn, leaving: make(chan struct{})}, nil
		},
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: answerTimeout,
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

// proxyFor returns the proxy from the environment. It returns none for this computer, or for plain
// http to a private network, because the proxy would see the key; NO_PROXY does not cover every
// spelling of localhost.
func proxyFor(req *http.Request) (*url.URL, error) {
	if IsLoopback(req.URL.Hostname()) || req.URL.Scheme == "http" && isPrivate(req.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(req)
}

func cleanBase(what, text string, insecure bool) (string, error) {
	// First, and without showing the address: the text before an @ may be the key.
	if strings.Contains(text, "@") {
		return "", fmt.Errorf("%s holds a user name or password: leave it out, the key is sent by itself", what)
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s %s is not an http or https URL", what, Quote(text))
	}
	if strings.ContainsAny(text, "?#") {
		return "", fmt.Errorf("%s %s has a part after ? or #: leave it out", what, Quote(text))
	}
	if u.Scheme == "http" && !IsLoopback(u.Hostname()) && (!insecure || !IsPrivateHost(text)) {
		return "", fmt.Errorf("%s %s: %w", what, Quote(text), ErrInsecure)
	}
	return strings.TrimRight(text, "/"), nil
}

// Host returns the host and port of the upload service.
func (c *Client) Host() string {
	u, _ := url.Parse(c.upload) // checked by NewClient
	return u.Host
}

func (c *Client) uploadAddress() string { return c.upload + "/api/v1/files/upload" }

// askFirst is the size in bytes from which a client waits for the service's consent before it
// sends the body.
const askFirst = 64 << 10

// closeAfter is the size in bytes from which a connection serves only one upload. On a reused
// connection, net/http sends the rest of a refused body while it reads the answer; with
// "Connection: close" it stops. A new connection costs far less than such a body.
const closeAfter = 1 << 20

// Upload sends u and returns the record of the stored file (service.md §4.1). It counts bytes in
// progress, which may be nil. It streams the body with its exact length.
//
// Errors: a *RuleError or *SourceError before anything is sent, a *ServiceError for an
// unsuccessful answer, a *SendError without an answer, ErrNoRecord for a success without a record.
// job.OutcomeOf reports what each means for the file.
func (c *Client) Upload(ctx context.Context, u *Upload, progress *Progress) (*File, error) {
	if u.Source.Path == "" && !IsWebAddress(u.Source.URL) {
		return nil, &RuleError{Field: "file", Message: "file is missing: there is nothing to send", Help: "Pick a file or give an address."}
	}
	// Without progress, nobody can read the hash.
	b, err := newBody(u, progress != nil)
	if err != nil {
		return nil, err
	}
	if b.file != nil {
		defer b.file.file.Close() // it was only read
	}
	whole := b.length <= wholeBody
	if whole {
		text := make([]byte, b.length)
		if _, err := io.ReadFull(b.reader, text); err != nil {
			return nil, err
		}
		b.reader = bytes.NewReader(text)
	}
	progress = cmp.Or(progress, new(Progress))
	progress.start(b.length)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := newWatchdog(c.stallTimeout, cancel)
	defer watchdog.stop()
	counting := &counted{from: b.reader, progress: progress, watchdog: watchdog}
	defer counting.end()
	reader, complete := io.Reader(counting), progress.Complete
	var conn atomic.Pointer[net.Conn]
	trace := &httptrace.ClientTrace{
		GotConn:      func(info httptrace.GotConnInfo) { conn.Store(&info.Conn) },
		WroteRequest: func(httptrace.WroteRequestInfo) { watchdog.wrote(0) },
	}
	if whole {
		// net/http writes the header and the body at once only if it knows that the body is in
		// memory. It calls the trace functions before it writes.
		reader = b.reader
		trace.WroteHeaders = func() { counting.countSent(b.length) }
		trace.WroteRequest = func(httptrace.WroteRequestInfo) {
			watchdog.wrote(c.stallTimeout + c.answerTimeout)
		}
		complete = func() bool {
			if on := conn.Load(); on != nil && writeFailed(*on) {
				progress.sent.Store(0) // these bytes were not sent
			}
			return progress.Complete()
		}
	}
	ctx = httptrace.WithClientTrace(ctx, trace)
	// NopCloser, because this function closes the file after it has stopped counting.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.uploadAddress(), io.NopCloser(reader))
	if err != nil {
		return nil, err
	}
	req.ContentLength = b.length
	req.Header.Set("Content-Type", b.contentType)
	if b.length > askFirst {
		// A refusal because of the key, name or a limit then comes before the body is sent.
		req.Header.Set("Expect", "100-continue")
		req.Close = b.length > closeAfter
	}
	file := new(File)
	err = c.do(req, exchange{
		op: opUpload, complete: complete, answered: watchdog.answered, ended: counting.end,
	}, file)
	if b.file != nil && b.file.hash != nil && progress.Complete() {
		sum := b.file.hash.sum()
		progress.hash.Store(&sum)
	}
	if err != nil {
		return nil, err
	}
	return c.withRecord(opUpload, file)
}

func (c *Client) withRecord(op string, file *File) (*File, error) {
	if file.FileID == "" {
		return nil, unreadable(op, file, cmp.Or(c.describeRecord(file), "it has no fileId"))
	}
	return file, nil
}

func (c *Client) describeRecord(file *File) string {
	var answer struct{ Message json.RawMessage }
	if json.Unmarshal(file.Raw, &answer) != nil || len(answer.Message) == 0 {
		return ""
	}
	return Clip(JSONText(answer.Message), 300)
}

// Details reads the record of a file.
func (c *Client) Details(ctx context.Context, fileID string) (*File, error) {
	return c.Record(ctx, ReadDetails(fileID))
}

// Describe returns a request with its complete address, to be shown.
func (c *Client) Describe(r Request) Request {
	r.Address = c.base + r.Address
	return r
}

// Do sends a request and decodes the JSON of the answer into v; v may be nil. If the service limits
// the rate, it waits and sends the request again.
func (c *Client) Do(ctx context.Context, r Request, v any) error {
	if r.Err != nil {
		return r.Err
	}
	var last error
	for began := time.Now(); ; {
		if err := c.hold.wait(ctx, r.op); err != nil {
			if last == nil || ctx.Err() != nil {
				last = &SendError{Op: r.op, Host: c.Host(), Err: err}
			}
			return last
		}
		if last = c.callOnce(ctx, r, v); last == nil {
			return nil
		}
		delay, again := holdRequested(last)
		if !again || time.Since(began)+delay > maxHoldDelay {
			return last
		}
		c.hold.extend(r.op, delay)
		if c.waiting != nil && time.Since(began)+delay >= minNoticeDelay && c.hold.noticeDue() {
			c.waiting(waitNotice(last, delay))
		}
	}
}

// Record is like Do, for an answer that is the record of a file.
func (c *Client) Record(ctx context.Context, r Request) (*File, error) {
	file := new(File)
	if err := c.Do(ctx, r, file); err != nil {
		return nil, err
	}
	return c.withRecord(r.op, file)
}

// Unavailable reports whether err says that the service does not support an optional operation,
// such as listing.
func Unavailable(err error) bool {
	return answered(err, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented)
}

// The maximum sizes of answers, in bytes. A listing of 1,000 records with all their metadata stays
// far below maxAnswer, and a record far below maxRecord: its tags have at most 500 characters
// (service.md §4.1).
const (
	maxAnswer = 64 << 20
	maxRecord = 1 << 20
)

const (
	opUpload  = "upload"
	opDetails = "details"
	opUpdate  = "update of details"
)

type exchange struct {
	op       string                      // the operation, for errors
	complete func() bool                 // whether the complete request may have arrived
	answered func(timeout time.Duration) // called when the answer begins; may be nil
	ended    func()                      // called after the answer was read; may be nil
}

// callOnce is like Do without a repeat, with its own time limit.
func (c *Client) callOnce(ctx context.Context, r Request, v any) error {
	late := timeoutError("no answer within " + c.answerTimeout.String())
	ctx, cancel := context.WithTimeoutCause(ctx, c.answerTimeout, late)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Address, strings.NewReader(r.Body))
	if err != nil {
		return err
	}
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.do(req, exchange{op: r.op, complete: func() bool {
		return r.Method != http.MethodGet && sent.Load()
	}}, v)
}

// do sends a request with the key and decodes its answer into v. If v is nil, it checks only the
// status.
func (c *Client) do(req *http.Request, x exchange, v any) error {
	// net/http repeats a request by itself if it can rewind the body. An upload must never be
	// sent twice without our knowledge.
	req.GetBody = nil
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "application/json")
	if c.reveal != nil {
		req.SetBasicAuth(c.reveal(), "")
	}
	// The transport, because an http.Client would process redirects, and lose the answer on an
	// invalid one.
	began := time.Now()
	log := slog.With("op", x.op, "method", req.Method, "host", req.URL.Host, "path", req.URL.Path)
	var connected atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(req.Context(),
		&httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}))
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		log.Debug("request", "took", time.Since(began), "err", c.masker().Replace(rootCause(err)))
		err := c.sendError(req, x.op, x.complete(), err)
		if failed, ok := errors.AsType[*SendError](err); ok {
			failed.NoConnection = !connected.Load()
		}
		return err
	}
	defer res.Body.Close()
	if x.ended != nil {
		defer x.ended() // before the body is closed, which may wait for the end of sending
	}
	log.Debug("request", "took", time.Since(began), "status", res.StatusCode)
	if x.answered != nil {
		x.answered(c.answerTimeout)
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
	case refused: // a truncated message is still shown
		e := newServiceError(res, text[:min(len(text), limit)])
		e.Complete = x.complete()
		return e
	case err != nil:
		// The answer had begun, so the service had the complete request.
		return c.sendError(req, x.op, req.Method != http.MethodGet, err)
	case len(text) > limit:
		return unreadable(x.op, v, "the answer is larger than "+DescribeSize(int64(limit)))
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return unreadable(x.op, v, describeNoRecord(res, text, err))
	}
	if file, ok := v.(*File); ok && file.FileID == "" && res.StatusCode == http.StatusAccepted {
		message := cmp.Or(c.describeRecord(file), "no message")
		return &AcceptedError{Message: message, RequestID: requestID(res.Header)}
	}
	return nil
}

// unreadable returns the error of a successful answer to op that cannot be decoded into v.
func unreadable(op string, v any, reason string) error {
	const checkURLs = "Check the URLs of the profile, and what is on the way there."
	if _, record := v.(*File); !record {
		return WithHint(fmt.Errorf("%s: the answer of the service cannot be read: %s", op, reason), checkURLs)
	}
	err := fmt.Errorf("%w: %s", ErrNoRecord, reason)
	switch op {
	case opUpload:
		return err
	case opDetails:
		return WithHint(err, checkURLs)
	}
	return WithHint(err, "Look at the file's details, then try again.")
}

// read returns the body of an answer, at most limit+1 bytes. All answers to requests with the key
// are read here, and the key is masked in the body and the header.
func (c *Client) read(res *http.Response, limit int) ([]byte, error) {
	m := c.masker()
	for _, values := range res.Header {
		for i := range values {
			values[i] = m.Replace(values[i])
		}
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, int64(limit)+1))
	return []byte(m.Replace(string(text))), err
}

func describeNoRecord(res *http.Response, text []byte, err error) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return "the answer is empty"
	}
	if !json.Valid(text) {
		return describeBody(res, text[:min(len(text), maxErrorBody)])
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return "the answer is JSON, but no object: " + Clip(string(bytes.TrimSpace(text)), 100)
	}
	return err.Error()
}

// sendError returns the error of a request without an answer, or the source's own error if that
// ended the request.
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
	// net/http quotes a malformed answer, which may repeat the key.
	if text := rootCause(err); c.masker().Replace(text) != text {
		err = errors.New(c.masker().Replace(text))
	}
	return &SendError{Op: op, Host: req.URL.Host, Complete: complete, Err: err}
}
