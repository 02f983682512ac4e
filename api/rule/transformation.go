package rule

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mediadesk/api"
)

// Values of api.PostTransformation.Type.
const (
	PostSteps      = "transformation"
	PostStream     = "abs"
	postThumbnail  = "thumbnail"
	postGIFToVideo = "gif-to-video"
)

// ParseTransformation parses the steps of Pre, or a JSON object. The error is a *api.RuleError.
func ParseTransformation(text string) (api.Transformation, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return api.Transformation{Pre: text}, nil
	}
	var t api.Transformation
	err := json.Unmarshal([]byte(text), &t)
	if _, broken := errors.AsType[*api.RuleError](err); err != nil && !broken {
		err = transformationError("is not a JSON object: " + jsonProblem([]byte(text), err))
	} else if name, found := RepeatedMember([]byte(text)); err == nil && found {
		err = transformationError("has the member " + api.Quote(name) + " twice")
	}
	return t, err
}

// TransformationText returns the form that ParseTransformation reads; empty for none.
func TransformationText(t api.Transformation) string {
	switch {
	case t.Pre == "" && t.Post == nil:
		return ""
	case t.Post == nil && !strings.HasPrefix(t.Pre, "{") && t.Pre == strings.TrimSpace(t.Pre):
		return t.Pre
	}
	return string(JSON(t))
}

// CheckTransformation returns a *api.RuleError if the service would refuse a transformation for a
// MIME type, which may be empty.
func CheckTransformation(t api.Transformation, mime string) error {
	kind, _, _ := strings.Cut(mime, "/")
	if t.Pre == "" && len(t.Post) == 0 {
		return transformationError("has neither pre nor post")
	}
	if mime != "" && kind != "image" && kind != "video" {
		return transformationError("is for images and videos, and this is " + api.Quote(mime))
	}
	for _, p := range t.Post {
		if reason := postMisfit(&p, mime, kind); reason != "" {
			return transformationError(fmt.Sprintf("has %s in post, %s", api.Quote(p.Type), reason))
		}
	}
	return nil
}

// postMisfit returns why an element of post does not fit, or "".
func postMisfit(p *api.PostTransformation, mime, kind string) string {
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
	return broken(FieldTransformation, "transformation "+reason,
		`Write steps such as w-1600,q-80, or {"pre":"w-1600","post":[{"type":"thumbnail","value":"w-300"}]}.`)
}
