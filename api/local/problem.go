package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"syscall"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// problem is an error answer.
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

// because adds a machine-readable reason.
func (p *problem) because(reason string) *problem {
	p.Reason = reason
	return p
}

// errTooLarge uses the wording of hosted services, which clients match.
func (l *Library) errTooLarge() error {
	return badRequest("Your request contains invalid file parameter. The file size exceeds limits.",
		fmt.Sprintf("The limit is %d bytes.", l.o.MaxSize))
}

var (
	errNoFile   = refuse(http.StatusNotFound, "The requested file does not exist.", "Check the file id.")
	errCutShort = badRequest("The request ended early; nothing was stored.", "Send it again.")
)

// retryAfter is the Retry-After, in seconds, while records or contents do not answer.
const retryAfter = "5"

// answerError writes err as an answer. Internal errors are logged; their answer has only the
// request id of the log line.
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
		p = errNoFile
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
		w.Header().Set("Retry-After", retryAfter)
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

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"message":"The answer could not be written.","help":""}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	// With a length, the client has the complete answer before the handler returns.
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text) //nolint:errcheck // the client is gone then
}
