package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RuleError reports that a value breaks a rule of the specification. A client shows it before
// sending; the local library answers 400 with it.
type RuleError struct {
	Field   string // name of the request field
	Message string // the problem, with the field's name
	Help    string // a hint
}

func (e *RuleError) Error() string { return e.Message }

// ServiceError is an unsuccessful answer of the service (service.md §7).
type ServiceError struct {
	Status     int           // HTTP status
	Message    string        // the service's message, or ours if it sent none
	Help       string        // the service's help text; may be empty
	RequestID  string        // identifies the request for the service's support; may be empty
	RetryDelay time.Duration // the wait that the service requests; 0 if none
	Complete   bool          // the complete request had been sent when the answer arrived
	// Foreign means that the answer does not have the form of service.md §7: a proxy may have sent
	// it.
	Foreign bool
}

func (e *ServiceError) Error() string {
	text := fmt.Sprintf("the service answered %d: %s", e.Status, e.Message)
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// NotDone reports whether an answer with status 5xx says that the service did nothing because it is
// unavailable (503) or its disk is full (507). The message must come from the service, not from a
// proxy.
func (e *ServiceError) NotDone() bool {
	return !e.Foreign && (e.Status == http.StatusServiceUnavailable ||
		e.Status == http.StatusInsufficientStorage)
}

// KeyRefused reports whether err says that the service rejected the key (401, 403).
func KeyRefused(err error) bool {
	return answered(err, http.StatusUnauthorized, http.StatusForbidden)
}

func answered(err error, statuses ...int) bool {
	answer, ok := errors.AsType[*ServiceError](err)
	return ok && slices.Contains(statuses, answer.Status)
}

// Hint returns a hint in our words; empty if only the service's message can help.
func (e *ServiceError) Hint() string {
	switch {
	case e.Status >= 300 && e.Status < 400:
		return "The address redirects elsewhere and the key is never sent on. Put the final address into the profile."
	case e.Status == http.StatusUnauthorized:
		return "The service got no valid key. Set the private key of this profile: mediadesk key set."
	case e.Status == http.StatusForbidden:
		return "The service does not accept this key. Check that it is the private key of this account: mediadesk key set."
	case e.Status == http.StatusNotFound:
		return "The service does not know it. Check the file id and the addresses of the profile."
	case e.Status == http.StatusRequestEntityTooLarge:
		return "The file is larger than this account allows."
	case e.Status == http.StatusTooManyRequests:
		return "Too many requests: wait a little and try again."
	case e.Status >= 500:
		return "The fault is on the service's side. Try again later."
	case e.Foreign && e.Help == "":
		return "The answer is not in the form of the service: check the addresses of the profile, and what is on the way there."
	}
	return e.Help
}

// SendError reports that no answer arrived. If Complete is false, the service did not receive
// everything, so nothing was stored; otherwise the outcome is unknown.
type SendError struct {
	Op       string // the operation
	Host     string
	Complete bool // the complete request had been sent
	// NoConnection means that no connection to the host could be made.
	NoConnection bool
	Err          error
}

// Timeout reports whether the request timed out after a connection was made.
func (e *SendError) Timeout() bool {
	var late interface{ Timeout() bool }
	return !e.NoConnection && errors.As(e.Err, &late) && late.Timeout()
}

func (e *SendError) Error() string {
	text := e.Op + ": no answer from " + e.Host + ": " + describeSend(e.Err)
	switch {
	case e.Complete && e.Op == opUpload:
		text += " (everything was sent, so it may have been stored)"
	case e.Complete:
		text += " (everything was sent, so the change may have been made)"
	}
	return text
}

func (e *SendError) Unwrap() error { return e.Err }

func (e *SendError) Hint() string {
	switch {
	case e.Complete && e.Op == opUpdate:
		return "Look at the file's details, then try again: the same change twice does no harm."
	case e.Complete && e.Op == opUpload:
		return checkFirst
	case e.Complete:
		return "Look in the library whether it was done before trying again."
	}
	if _, help := DescribeUnreached(e.Err); help != "" {
		return help
	}
	return "Check the connection and the address of the profile, then try again."
}

const checkFirst = "Look in the library whether it arrived before sending it again."

// ErrInsecure reports that an address would send the key over plain http.
var ErrInsecure = errors.New("the key goes over https only, or over http to this computer")

// ErrNoRecord reports an answer with success but without a readable record, so the outcome is
// unknown.
var ErrNoRecord = errors.New("the service answered with success but sent no file record")

// AcceptedError is an ErrNoRecord of a service that accepted the request and completes it later.
// Sending it again would store the file twice.
type AcceptedError struct {
	Message   string // the service's message
	RequestID string // may be empty
}

func (e *AcceptedError) Error() string {
	return "the service took it, to work on it later, and sent no file record: " + e.Message
}

func (e *AcceptedError) Unwrap() error { return ErrNoRecord }

// WithHint returns err with a hint for the user: a sentence, or several.
func WithHint(err error, help string) error { return &hintedError{err, help} }

type hintedError struct {
	error
	help string
}

func (e *hintedError) Unwrap() error { return e.error }

func (e *hintedError) Hint() string { return e.help }

// Hint returns the hint of the first error in the chain of err that has one, or "".
func Hint(err error) string {
	var hinted interface{ Hint() string }
	var rule *RuleError
	var accepted *AcceptedError
	switch {
	case errors.As(err, &rule):
		return rule.Help
	case errors.As(err, &hinted):
		return hinted.Hint()
	case errors.As(err, &accepted):
		return "mediadesk searches for the file by its name until the service lists it."
	case errors.Is(err, ErrNoRecord): // of an upload; others have a hint of their own
		return checkFirst
	case errors.Is(err, ErrInsecure):
		return "Use the https address of the service. In a private network that you trust: mediadesk profile add NAME --insecure."
	}
	return ""
}

// maxErrorBody is the maximum number of bytes read from the body of an error, enough for any real
// message.
const maxErrorBody = 64 << 10

func requestID(h http.Header) string {
	return Clip(cmp.Or(h.Get("X-Ik-Requestid"), h.Get("X-Request-Id")), 200)
}

// newServiceError returns the error of an unsuccessful answer. body is the beginning of its body,
// which may be empty or HTML.
func newServiceError(res *http.Response, body []byte) *ServiceError {
	e := &ServiceError{Status: res.StatusCode, RequestID: requestID(res.Header)}
	e.RetryDelay = max(delayOf(res.Header.Get("Retry-After"), time.Second),
		delayOf(res.Header.Get("X-Ratelimit-Reset"), time.Millisecond))
	var members struct{ Message, Help, Reason json.RawMessage }
	if json.Unmarshal(body, &members) == nil {
		e.Message = cmp.Or(JSONText(members.Message), JSONText(members.Reason))
		e.Help = JSONText(members.Help)
	}
	if e.Foreign = e.Message == ""; e.Foreign {
		e.Message = describeBody(res, body)
	}
	e.Message, e.Help = Clip(cmp.Or(e.Message, describeEmpty(res)), 2000), Clip(e.Help, 2000)
	return e
}

func describeBody(res *http.Response, body []byte) string {
	if res.StatusCode >= 300 && res.StatusCode < 400 { // its page says less than its address
		if to, err := res.Location(); err == nil {
			return "a redirect to " + Clip(to.Scheme+"://"+to.Host, 200) + ", which is not followed"
		}
		return "a redirect, which is not followed"
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(body), "?"))
	if text == "null" || text == "{}" || text == "[]" {
		return ""
	}
	if plain := JSONText(body); !strings.HasPrefix(plain, "{") && json.Valid(body) {
		return Clip(plain, 300)
	}
	if strings.HasPrefix(text, "<") || strings.Contains(res.Header.Get("Content-Type"), "html") {
		if _, after, ok := strings.Cut(text, "<title>"); ok {
			title, _, _ := strings.Cut(after, "</title>")
			return "a web page instead of an answer: " + Clip(strings.TrimSpace(title), 200)
		}
		return "a web page instead of an answer"
	}
	return Clip(text, 300)
}

func describeEmpty(res *http.Response) string {
	if text := http.StatusText(res.StatusCode); text != "" {
		return strings.ToLower(text) + " (the service sent no message)"
	}
	return "no message"
}

const maxRetryDelay = time.Hour

// delayOf parses a number of units, or a date as Retry-After may have; 0 if it is invalid. The result
// is at most maxRetryDelay.
func delayOf(text string, unit time.Duration) time.Duration {
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(time.Until(at), maxRetryDelay))
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	switch {
	case n <= 0 || err != nil && !errors.Is(err, strconv.ErrRange):
		return 0
	case n > int64(maxRetryDelay/unit):
		return maxRetryDelay
	}
	return time.Duration(n) * unit
}

func describeSend(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "it was canceled"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	}
	if what, _ := DescribeUnreached(err); what != "" {
		return what
	}
	return strings.TrimPrefix(rootCause(err), "net/http: ")
}

// rootCause returns the innermost text of an error chain, because net/http adds the complete
// address.
func rootCause(err error) string {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err.Error()
}
