package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// Values of PostTransformation.Type.
const (
	PostSteps      = "transformation"
	PostStream     = "abs"
	postThumbnail  = "thumbnail"
	postGIFToVideo = "gif-to-video"
)

var transformationChoices = []Choice{
	{"w-1600,c-at_max", "limit the width to 1600 px"},
	{`{"post":[{"type":"thumbnail","value":"w-300"}]}`, "thumbnail (videos)"},
	{`{"post":[{"type":"abs","value":"sr-240_360_480_720_1080","protocol":"hls"}]}`, "HLS stream (videos)"},
	{`{"post":[{"type":"abs","value":"sr-240_360_480_720_1080","protocol":"dash"}]}`, "DASH stream (videos)"},
}

// parseTransformation parses the steps of Pre, or a JSON object. The error is a *RuleError.
func parseTransformation(text string) (Transformation, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return Transformation{Pre: text}, nil
	}
	var t Transformation
	err := json.Unmarshal([]byte(text), &t)
	var rule *RuleError
	switch {
	case errors.As(err, &rule):
		return t, err
	case err == nil:
		if name, found := RepeatedMember([]byte(text)); found {
			return t, transformationError("has the member " + quote(name) + " twice")
		}
		return t, nil
	default:
		return t, transformationError("is not a JSON object: " + jsonProblem([]byte(text), err))
	}
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

// TransformationText returns the form that parseTransformation reads; empty for none.
func TransformationText(t Transformation) string {
	switch {
	case t.Pre == "" && t.Post == nil:
		return ""
	case t.Post == nil && !strings.HasPrefix(t.Pre, "{") && t.Pre == strings.TrimSpace(t.Pre):
		return t.Pre
	}
	text, _ := readableJSON(t)
	return string(text)
}

// CheckTransformation returns a *RuleError if the service would refuse a transformation for a MIME
// type, which may be empty.
func CheckTransformation(t Transformation, mime string) error {
	kind, _, _ := strings.Cut(mime, "/")
	if t.Pre == "" && len(t.Post) == 0 {
		return transformationError("has neither pre nor post")
	}
	if mime != "" && kind != "image" && kind != "video" {
		return transformationError("is for images and videos, and this is " + quote(mime))
	}
	for _, p := range t.Post {
		if reason := postMisfit(&p, mime, kind); reason != "" {
			return transformationError(fmt.Sprintf("has %s in post, %s", quote(p.Type), reason))
		}
	}
	return nil
}

// postMisfit returns why an element of post does not fit, or "".
func postMisfit(p *PostTransformation, mime, kind string) string {
	switch video := kind == "video" || kind == ""; {
	case p.Type != PostSteps && p.Type != PostStream && p.Type != postThumbnail && p.Type != postGIFToVideo:
		return "which is not transformation, abs, thumbnail or gif-to-video"
	case p.Value == "" && (p.Type == PostSteps || p.Type == PostStream):
		return "which needs a value"
	case p.Type == PostStream && p.Protocol != "hls" && p.Protocol != "dash":
		return "which needs the protocol hls or dash"
	case p.Type != PostStream && p.Protocol != "":
		return "which has no protocol"
	case (p.Type == PostStream || p.Type == postThumbnail) && !video:
		return "which is for videos only"
	case p.Type == postGIFToVideo && mime != "" && mime != "image/gif":
		return "which is for GIF only"
	}
	return ""
}

func transformationError(reason string) error {
	return &RuleError{
		Field: FieldTransformation, Message: "transformation " + reason,
		Help: `Write steps such as w-1600,q-80, or {"pre":"w-1600","post":[{"type":"thumbnail","value":"w-300"}]}.`,
	}
}
