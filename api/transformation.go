package api

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Transformation describes how the service processes a file at upload (hosted-service.md §12).
// Users write the steps of Pre, or all of it as JSON.
type Transformation struct {
	Pre  string               `json:"pre,omitempty"`  // steps applied before storing, such as "w-1600,q-80"
	Post []PostTransformation `json:"post,omitempty"` // made after storing
}

// PostTransformation is one element of Transformation.Post.
type PostTransformation struct {
	Type     string `json:"type"`               // one of the constants below
	Value    string `json:"value,omitempty"`    // steps
	Protocol string `json:"protocol,omitempty"` // for a stream: hls or dash
}

// UnmarshalJSON rejects unknown members. The error is a *RuleError.
func (t *Transformation) UnmarshalJSON(data []byte) error {
	type plain Transformation
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(t)); err != nil {
		return &RuleError{Field: "transformation", Message: "transformation cannot be read: " + strings.TrimPrefix(err.Error(), "json: "), Help: "Its members are pre and post."}
	}
	return nil
}
