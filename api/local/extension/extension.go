// Package extension holds what works on a stored picture: background removal,
// tagging from what can be measured, and a user's own command.
//
// The results are this package's own, not those of a provider whose extension
// has the same name.
package extension

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mediadesk/api"
	"mediadesk/api/media"
)

// Input is a picture and the extension that works on it.
type Input struct {
	Element api.Extension
	Content io.ReaderAt
	Size    int64 // bytes of Content
	Mime    string

	// Background is the picture that the element's BackgroundAddress leads
	// to; nil: none.
	Background     io.ReaderAt
	BackgroundSize int64
}

// Output is the result of an extension: a picture or tags.
type Output struct {
	Picture     []byte            // an encoded picture; nil: none
	Orientation media.Orientation // by which the pixels were turned upright
	Tags        []api.AITag       // nil: none were found
}

// Tools are the extensions that there are.
type Tools struct {
	commands map[string][]string
	limits   limits // of the commands
}

// New returns the tools; each command takes the place of the extension under
// whose name it stands.
func New(commands map[string][]string) *Tools { return &Tools{commands: commands, limits: usualLimits} }

// Knows reports whether there is an extension of that name.
func (t *Tools) Knows(name string) bool {
	return len(t.commands[name]) > 0 || name == api.RemoveBackground || api.IsTagging(name)
}

// Own reports whether an extension is this package's own work, not a user's
// command.
func (t *Tools) Own(name string) bool { return len(t.commands[name]) == 0 }

// Quick reports whether an extension is tried within the request. The others
// are always pending first.
func (t *Tools) Quick(name string) bool { return len(t.commands[name]) == 0 && api.IsTagging(name) }

// Run runs an extension. Its error is text for people.
func (t *Tools) Run(ctx context.Context, in Input) (out Output, err error) {
	// A picture comes from anywhere; whatever it does to us ends this run only.
	defer func() {
		if v := recover(); v != nil {
			out, err = Output{}, fmt.Errorf("the extension broke down: %v", v)
		}
	}()
	name := in.Element.Name
	switch {
	case len(t.commands[name]) > 0:
		return runCommand(ctx, t.commands[name], in, t.limits)
	case name == api.RemoveBackground:
		out, err = removeBackground(ctx, in)
	case api.IsTagging(name):
		out.Tags, err = findTags(ctx, in)
	default:
		err = fmt.Errorf("there is no extension %q here", name)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("it took too long")
	case err != nil && ctx.Err() == nil:
		err = errors.New(media.Reason(err))
	}
	return out, err
}

// content reads the picture.
func (in Input) content() io.ReadSeeker { return io.NewSectionReader(in.Content, 0, in.Size) }
