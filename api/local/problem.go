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
	status        int
	message, help string
	reason        string   // machine-readable; may be empty
	missing       []string // ids of missing files
}

func (p *problem) Error() string { return p.message }

func refuse(status int, message, help string) *problem {
	return &problem{status: status, message: message, help: help}
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
	p.reason = reason
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
func (l *Library) answerError(w http.ResponseWriter, r *http.Request, body *patientBody, err error) {
	var p *problem
	var rule *api.RuleError
	var down *store.DownError
	switch {
	case errors.As(err, &p):
	case errors.Is(err, store.ErrNotFound):
		p = errNoFile
	case errors.As(err, &rule):
		p = &problem{status: http.StatusBadRequest, message: rule.Message, help: rule.Help}
	case errors.As(err, &down):
		l.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "request", w.Header().Get(requestIDHeader), "error", err)
		p = refuse(http.StatusServiceUnavailable, "The "+down.Part+" of the library does not answer.", "Send the request again in a few seconds.")
	case errors.Is(err, syscall.ENOSPC):
		p = &problem{status: http.StatusInsufficientStorage, message: "The disk of the local library is full; nothing was stored.", help: "Free some space and send it again."}
	case r.Context().Err() != nil && errors.Is(err, context.Canceled):
		p = &problem{status: http.StatusServiceUnavailable, message: "The request was ended."}
	default:
		id := w.Header().Get(requestIDHeader)
		l.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "request", id, "error", err)
		p = &problem{status: http.StatusInternalServerError, message: "The local library failed.", help: "See its log, request id " + id + "."}
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
	writeJSON(w, p.status, p.body())
}

// problemBody is the body of an error answer.
type problemBody struct {
	Message string   `json:"message"`
	Help    string   `json:"help"`
	Reason  string   `json:"reason,omitempty"`
	Missing []string `json:"missingFileIds,omitempty"`
}

func (p *problem) body() any { return problemBody{p.message, p.help, p.reason, p.missing} }

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
