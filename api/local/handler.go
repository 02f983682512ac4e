package local

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"mediadesk/api/local/store"
)

const requestIDHeader = "X-Ik-Requestid"

// identityPath identifies the process that serves a library.
const identityPath = "/api/v1/library"

// ServeHTTP serves the API under /api/ and /v1/, and stored files at all other
// paths.
func (l *Library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(requestIDHeader, store.NewID())
	r.Header.Set(requestIDHeader, w.Header().Get(requestIDHeader)) // for operations
	w.Header().Set("X-Content-Type-Options", "nosniff")
	control := http.NewResponseController(w)
	r = r.WithContext(context.WithValue(r.Context(), sentKey{}, &Request{}))
	body := &timedBody{ReadCloser: r.Body, control: control, timeout: l.o.idleTimeout, finished: r.Body == http.NoBody}
	r.Body = body
	answer := &timedWriter{ResponseWriter: w, control: control, timeout: writeFactor * l.o.idleTimeout}
	defer l.observe(r, answer, time.Now())
	if err := l.route(answer, r); err != nil {
		l.answerError(answer, r, body, err)
	}
}

// maxHeader limits the first line and header of a request, in bytes.
const maxHeader = 32 << 10

func headerLength(r *http.Request) int {
	n := len(r.RequestURI) + len(r.Host)
	for name, values := range r.Header {
		n += len(name) + len(strings.Join(values, ""))
	}
	return n
}

func (l *Library) route(w http.ResponseWriter, r *http.Request) error {
	if headerLength(r) > maxHeader {
		return refuse(http.StatusRequestHeaderFieldsTooLarge, "The header of the request is too long.",
			fmt.Sprintf("The limit for its address and header fields is %d bytes.", maxHeader))
	}
	if !l.hostAllowed(r.Host) {
		return refuse(http.StatusMisdirectedRequest, "This library is not served under the name "+quote(r.Host)+".", "Use the address that mediadesk serve prints, or start it with --host NAME.")
	}
	path := path.Clean("/" + r.URL.Path) // some clients send too many slashes
	if isUpload(path) && allowPages(w, r) {
		return nil
	}
	if !l.originAllowed(r, path) {
		return refuse(http.StatusForbidden, "A request from a web page of another origin is not served.", "The private key is for server-side callers only.")
	}
	if !isAPI(path) {
		return l.deliver(w, r)
	}
	if !keyless[path] && !maybeSigned(r, path) {
		if err := l.authenticate(r); err != nil {
			return err
		}
	}
	found, allowed := findRoute(r, path)
	if !isControl(path) && path != identityPath {
		var err error
		if w, err = l.fault(w, r); err != nil {
			return err
		}
	}
	if found == nil {
		return noRoute(w, r, allowed)
	}
	return found.answerTo(l, w, r)
}

// authenticate checks the key, which is the user name (service.md §5). It ignores the password,
// since some clients send one.
func (l *Library) authenticate(r *http.Request) error {
	user, _, ok := r.BasicAuth()
	if !ok || user == "" {
		return errNoKey
	}
	sum := sha256.Sum256([]byte(user))
	if subtle.ConstantTimeCompare(sum[:], l.keySum[:]) != 1 {
		return refuse(http.StatusForbidden, notAuthenticated, "Check that the key belongs to this library.")
	}
	return nil
}

var errNoKey = refuse(http.StatusUnauthorized, "Your request does not contain private API key.", "Send the private key as the user name of HTTP Basic authentication.")

const notAuthenticated = "Your account cannot be authenticated."

// originAllowed refuses API requests from pages of other sites, except uploads without the key.
func (l *Library) originAllowed(r *http.Request, path string) bool {
	if isUpload(path) && r.Method == http.MethodPost && r.Header.Get("Authorization") == "" {
		return true
	}
	if isAPI(path) && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return false
	}
	return l.origin.Check(r) == nil
}

// drainTime and drainSize limit how much of a refused body is read.
const (
	drainTime = 2 * time.Second
	drainSize = 64 << 20
)

// answerNow answers while the body is still arriving and then drains it for a moment. Closing a
// connection with unread bytes resets it, and the client would not see the answer.
func answerNow(w http.ResponseWriter, r *http.Request, body *timedBody, p *problem) {
	body.control.EnableFullDuplex() //nolint:errcheck // a recorder in a test has no connection
	w.Header().Set("Connection", "close")
	writeJSON(w, p.status, p)
	body.control.Flush()
	if !body.read && r.Header.Get("Expect") != "" {
		return // the client waits for "100 Continue" and sends nothing
	}
	body.control.SetReadDeadline(time.Now().Add(drainTime)) //nolint:errcheck // as above
	io.CopyN(io.Discard, body.ReadCloser, drainSize)        //nolint:errcheck // discarded
}
