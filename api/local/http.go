package local

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

const requestIDHeader = "X-Ik-Requestid"

const identityPath = "/api/v1/library"

// ServeHTTP serves the API under /api/ and /v1/, and stored files at all other paths.
func (l *Library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(requestIDHeader, store.NewID())
	r.Header.Set(requestIDHeader, w.Header().Get(requestIDHeader)) // for operations
	w.Header().Set("X-Content-Type-Options", "nosniff")
	control := http.NewResponseController(w)
	r = r.WithContext(context.WithValue(r.Context(), sentKey{}, &Request{}))
	body := &timedBody{ReadCloser: r.Body, control: control, timeout: l.o.idleTimeout}
	body.finished, r.Body = r.Body == http.NoBody, body
	answer := &timedWriter{ResponseWriter: w, control: control, timeout: writeFactor * l.o.idleTimeout}
	defer l.observe(r, answer, time.Now())
	if err := l.route(answer, r); err != nil {
		l.answerError(answer, r, body, err)
	}
}

const maxHeader = 32 << 10

func (l *Library) route(w http.ResponseWriter, r *http.Request) error {
	if !l.hostAllowed(r.Host) {
		return refuse(http.StatusMisdirectedRequest, "This library is not served under the name "+quote(r.Host)+".", "Use the address that mediadesk serve prints, or start it with --host NAME.")
	}
	path := path.Clean("/" + r.URL.Path) // some clients send too many slashes
	if isUpload(path) && allowPages(w, r) {
		return nil
	}
	keyless := isUpload(path) && r.Method == http.MethodPost && r.Header.Get("Authorization") == ""
	// Pages of other sites may upload without the key, and nothing else.
	foreign := isAPI(path) && r.Header.Get("Sec-Fetch-Site") == "cross-site" || l.origin.Check(r) != nil
	if foreign && !keyless {
		return refuse(http.StatusForbidden, "A request from a web page of another origin is not served.", "The private key is for server-side callers only.")
	}
	if !isAPI(path) {
		return l.deliver(w, r)
	}
	if !noKey[path] && (!keyless || !isForm(r)) { // else admit checks the upload
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
	switch {
	case allowed != nil:
		list := strings.Join(allowed, ", ")
		w.Header().Set("Allow", list)
		return refuse(http.StatusMethodNotAllowed, "This address does not take "+quote(r.Method)+".", "It takes "+list+".")
	case found == nil:
		return refuse(http.StatusNotFound, "No such operation.",
			"docs/serve.md of mediadesk lists the operations of the local library.")
	}
	return found.answerTo(l, w, r)
}

// authenticate checks the key: the user name (service.md §5). Some clients send a password, too.
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

// drainTimeout and drainSize limit how much of a refused body is read.
const (
	drainTimeout = 2 * time.Second
	drainSize    = 64 << 20
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
	body.control.SetReadDeadline(time.Now().Add(drainTimeout)) //nolint:errcheck // as above
	io.CopyN(io.Discard, body.ReadCloser, drainSize)           //nolint:errcheck // discarded
}

type problem struct {
	status  int
	Message string   `json:"message"`
	Help    string   `json:"help"`
	Reason  string   `json:"reason,omitempty"`         // machine-readable
	Missing []string `json:"missingFileIds,omitempty"` // ids of missing files
}

func (p *problem) Error() string { return p.Message }

func refuse(status int, message, help string) *problem {
	return &problem{status: status, Message: message, Help: help}
}

// Reasons that several operations give (hosted-service.md §9 and §10).
const (
	missingParameter = "MISSING_PARAMETER"
	invalidParameter = "INVALID_PARAMETER"
	invalidFolder    = "INVALID_FOLDER_PATH"
	samePlace        = "SAME_SOURCE_AND_DESTINATION"
)

func badRequest(message, help string) *problem { return refuse(http.StatusBadRequest, message, help) }

func (p *problem) because(reason string) *problem {
	p.Reason = reason
	return p
}

// errTooLarge uses the wording of hosted services, which clients match.
func (l *Library) errTooLarge() error {
	return badRequest("Your request contains invalid file parameter. The file size exceeds limits.",
		fmt.Sprintf("The limit is %d bytes.", l.o.MaxSize))
}

var errCutShort = badRequest("The request ended early; nothing was stored.", "Send it again.")

// answerError writes err as an answer. Internal errors are logged, and show a request id only.
func (l *Library) answerError(w http.ResponseWriter, r *http.Request, body *timedBody, err error) {
	var p *problem
	var rule *api.RuleError
	var down *store.DownError
	id := w.Header().Get(requestIDHeader)
	failed := func() {
		l.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "request", id, "error", err)
	}
	switch {
	case errors.As(err, &p):
	case errors.Is(err, store.ErrNotFound):
		p = refuse(http.StatusNotFound, "The requested file does not exist.", "Check the file id. Another request may have deleted the file.")
	case errors.As(err, &rule):
		p = badRequest(rule.Message, rule.Help)
	case errors.As(err, &down):
		failed()
		p = refuse(http.StatusServiceUnavailable, "The "+down.Part+" of the library does not answer.", "Send the request again in a few seconds.")
	case errors.Is(err, syscall.ENOSPC):
		p = refuse(http.StatusInsufficientStorage, "The disk of the local library is full; nothing was stored.", "Free some space and send it again.")
	case r.Context().Err() != nil && errors.Is(err, context.Canceled):
		p = refuse(http.StatusServiceUnavailable, "The request was ended.", "")
	default:
		failed()
		p = refuse(http.StatusInternalServerError, "The local library failed.", "See its log, request id "+id+".")
	}
	if p.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5") // seconds
	}
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="mediadesk"`)
	}
	if !body.finished {
		answerNow(w, r, body, p)
		return
	}
	writeJSON(w, p.status, p)
}

// encode returns a value as JSON. Values here are made of texts, numbers and JSON that was read, so
// there is no error.
func encode(v any) json.RawMessage {
	text, _ := json.Marshal(v)
	return text
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text := encode(v)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	// With a length, the client has the complete answer before the handler returns.
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text) //nolint:errcheck // the client is gone then
}

// readBody reads the JSON object of a request into the members that its route takes, in their order,
// and returns the raw members. Required ones must not be null. For the others, null sets the zero
// value, or a Field to null. A repeated member is an error.
func readBody(r *http.Request, into ...any) (map[string]json.RawMessage, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, errCutShort
	}
	if len(text) > maxBody {
		return nil, badRequest("The body of the request is too long.", "")
	}
	if len(text) == 0 { // some clients send nothing for an empty object
		text = []byte("{}")
	}
	if sent, ok := r.Context().Value(sentKey{}).(*Request); ok && len(text) <= 16<<10 && json.Valid(text) {
		sent.Body = bytes.Clone(text)
	}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(text, &sent); err != nil || sent == nil {
		return nil, badRequest("The body of the request is not a JSON object.", `Send an object such as {"tags":["a","b"]}.`)
	}
	if name, found := rule.RepeatedMember(text); found {
		return nil, badRequest(quote(name)+" appears twice in the body of the request.", "Send each member once.")
	}
	members := routeOf(r).taken()
	for name := range sent {
		if !slices.Contains(names(members), name) {
			return nil, badRequest(quote(name)+" is not a field of this request.",
				"It takes "+strings.Join(names(members), ", ")+".")
		}
	}
	for i, m := range members {
		text, ok := sent[m.name]
		if m.required && (!ok || string(text) == "null") {
			return nil, badRequest("Your request is missing "+m.name+" parameter.", "It is required.").because(missingParameter)
		}
		if ok && i < len(into) && json.Unmarshal(text, into[i]) != nil {
			return nil, wrongType(m.name, memberHelp[m.name])
		}
	}
	return sent, nil
}

// decodeStrict decodes JSON without unknown members. Its error is for users.
func decodeStrict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) && kind.Field != "" {
		return errors.New(quote(kind.Field) + " is of the wrong type")
	}
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: ")) // unknown field "x"
	}
	return nil
}

func wrongType(name, help string) error { return invalid(name, "it is of the wrong type", help) }

func invalid(name, reason, help string) *problem {
	return badRequest("Your request contains invalid "+name+" parameter: "+reason+".", help).because(invalidParameter)
}

var memberHelp = map[string]string{
	"tags":              `Send an array of texts such as ["a","b"]. In a details update, null removes them.`,
	"customCoordinates": `Send a text such as "10,20,300,200", or null to remove them.`,
	"customMetadata":    `Send an object such as {"brand":"Acme"}; null removes a key.`,
	"description":       "Send a text, or null to remove it.",
	"webhookUrl":        "Send an http or https address.",
}

const maxBody = 1 << 20 // bytes of the JSON body of a request

func filePath(field, path string) (folder, name string, err error) {
	cut := strings.LastIndexByte(path, '/')
	folder, err = rule.CleanFolder(path[:cut+1])
	if name = path[cut+1:]; err != nil || name == "" {
		return "", "", invalid(field, quote(path)+" is not a file path", "Send filePath as in the record, such as /folder/photo.jpg.")
	}
	return folder, name, nil
}

// idleTimeout is how long a connection may be idle during a request, while no bytes move.
const idleTimeout = 60 * time.Second

// writeFactor multiplies it for answers: the system takes megabytes for a client that reads slowly.
const writeFactor = 5

// timedBody extends the connection's read deadline with every read.
type timedBody struct {
	io.ReadCloser
	control  *http.ResponseController
	timeout  time.Duration // idleTimeout
	read     bool          // some of it was read
	finished bool          // it was read to the end or an error
}

func (b *timedBody) Read(p []byte) (int, error) {
	//nolint:errcheck // a recorder in a test has no connection
	b.control.SetReadDeadline(time.Now().Add(b.timeout))
	n, err := b.ReadCloser.Read(p)
	b.read = b.read || n > 0
	if err != nil {
		b.finished = true
		// From here on the server watches the connection. A remaining deadline would cancel the
		// request.
		b.control.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	}
	return n, err
}

// timedWriter extends the connection's write deadline with every part of an answer. The last
// deadline also covers what the server has buffered when the handler returns.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // for a part of the answer
	status  int           // 0 before WriteHeader
	size    int64         // body bytes written
}

// WriteHeader records the status.
func (w *timedWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	//nolint:errcheck // a recorder in a test has no connection
	w.control.SetWriteDeadline(time.Now().Add(w.timeout))
	n, err := w.ResponseWriter.Write(p)
	w.size += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
