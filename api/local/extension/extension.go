// Package extension implements the extensions: background removal, tagging by measurements, and a
// user's own command. Results differ from those of a provider's extension of the same name.
package extension

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// Input is the input of an extension.
type Input struct {
	Element api.Extension
	Content io.ReaderAt
	Size    int64 // bytes of Content
	Mime    string
}

// Output is the result of an extension: a picture or tags.
type Output struct {
	Picture     []byte            // an encoded picture, or nil
	Orientation media.Orientation // the orientation that was applied to the pixels
	Tags        []api.AITag       // may be nil
}

// Tools holds the available extensions.
type Tools struct {
	commands map[string][]string
	limits   limits // of the commands
}

// New returns the tools. A command replaces the extension of its name.
func New(commands map[string][]string) *Tools { return &Tools{commands: commands, limits: usualLimits} }

// Knows reports whether an extension of that name exists.
func (t *Tools) Knows(name string) bool {
	return len(t.commands[name]) > 0 || name == rule.RemoveBackground || name == rule.AITasks ||
		rule.IsTagging(name)
}

// BuiltIn reports whether no command replaces the extension of that name. It does not check the name.
func (t *Tools) BuiltIn(name string) bool { return len(t.commands[name]) == 0 }

// Quick reports whether a request waits for the extension. All others start as pending.
func (t *Tools) Quick(name string) bool { return len(t.commands[name]) == 0 && rule.IsTagging(name) }

// Run runs an extension. Its error is meant for users.
func (t *Tools) Run(ctx context.Context, in Input) (out Output, err error) {
	// A malformed picture must not crash the program.
	defer func() {
		if v := recover(); v != nil {
			out, err = Output{}, fmt.Errorf("the extension crashed: %v", v)
		}
	}()
	name := in.Element.Name
	switch {
	case len(t.commands[name]) > 0:
		return runCommand(ctx, t.commands[name], in, t.limits)
	case name == rule.RemoveBackground:
		out, err = removeBackground(ctx, in)
	case rule.IsTagging(name), name == rule.AITasks: // from whose tags the caller answers the tasks
		out.Tags, err = findTags(ctx, in)
	default:
		err = fmt.Errorf("no extension %q in the local library", name)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("it took too long")
	case err != nil && ctx.Err() == nil:
		err = errors.New(media.Reason(err))
	}
	return out, err
}

func (in Input) content() io.ReadSeeker { return io.NewSectionReader(in.Content, 0, in.Size) }
