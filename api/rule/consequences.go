package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
)

// MaxVersions is the maximum number of versions of a file (service.md §8, §9).
const MaxVersions = 100

// Place describes the path to which an upload goes.
type Place struct {
	Known    bool      // whether the other fields are known
	File     *api.File // the existing file, or nil
	Versions int       // its number of versions; 0 if unknown
	// At is the time of the information if it is older than the request, otherwise zero.
	At time.Time
}

// Result is the result of an upload.
type Result string

// The possible results of an upload.
const (
	NewFile      Result = "new file"
	NewVersion   Result = "new version"                              // an existing file is replaced
	Refusal      Result = "refused"                                  // the service answers with an error
	eitherOfBoth Result = "new file, or new version if one is there" // unknown path
	maybeRefusal Result = "new file, or refused if one is there"     // unknown path
)

// Aspect is a part of a record that overwriting can change.
type Aspect string

// The four aspects of the overwrite rules (service.md §4.1).
const (
	AspectTags     Aspect = "tags"
	AspectAITags   Aspect = "AI tags"
	AspectRegion   Aspect = "region"
	AspectMetadata Aspect = "custom metadata"
)

// Effect is the effect of overwriting on an aspect.
type Effect string

// The possible effects.
const (
	Retained Effect = "kept"
	Removed  Effect = "removed"
	SetTo    Effect = "set"
)

// Change is the change of one aspect.
type Change struct {
	Aspect Aspect
	Effect Effect
	Had    int    // number in the existing file, without tags that are sent again (a region counts as 1); -1 if unknown
	Reason string // the rule, as part of a sentence
	Keep   string // name of the request field that preserves the aspect if set to false; may be empty
}

// Prediction is the predicted effect of an upload.
type Prediction struct {
	Path    string // path of the stored file
	Suffix  bool   // whether the service adds a suffix to the name
	Result  Result
	Reason  string
	Changes []Change // only if a file may exist at the path
}

// Consequences predicts what an upload does to the file at its path, by the rules of
// service.md §4.1 for useUniqueFileName and the four overwrite switches. The local library uses the
// same function, so that predictions are correct.
//
// An empty list of tags and an empty object of custom metadata count as absent.
func Consequences(u *api.Upload, at Place) Prediction {
	if !at.Known {
		at = Place{}
	}
	o := Prediction{Path: PathOf(u)}
	switch overwrites := u.OverwriteFile.Or(true); {
	case u.UseUniqueFileName.Or(true):
		o.Suffix, o.Result, o.Reason = true, NewFile, "the service adds a unique suffix to the name"
	case at.Known && at.File == nil:
		o.Result, o.Reason = NewFile, "nothing is at this place"
	case !overwrites && at.Known:
		o.Result, o.Reason = Refusal, "a file is at this place and overwriteFile is off"
	case !overwrites:
		o.Result, o.Reason = maybeRefusal, "overwriteFile is off"
	case at.Versions >= MaxVersions:
		o.Result, o.Reason = Refusal, fmt.Sprintf("the file there has %d versions, which is the limit", at.Versions)
	case at.Known:
		o.Result, o.Reason = NewVersion, "a file with this name is at this place"
	default:
		o.Result, o.Reason = eitherOfBoth, "overwriteFile is on"
	}
	if o.Result != NewVersion && o.Result != eitherOfBoth {
		return o
	}
	file := cmp.Or(at.File, new(api.File)) // without a record, nothing is known
	had := func(known bool, n int) int {
		if !known {
			return -1
		}
		return n
	}
	// The region has no switch.
	region := Change{AspectRegion, Removed, had(!file.CustomCoordinates.IsZero(), 0), "you send none, and no switch keeps it", ""}
	if file.CustomCoordinates.IsSet() {
		region.Had = 1
	}
	if u.CustomCoordinates.IsSet() {
		region.Effect, region.Reason = SetTo, "the request has it"
	}
	sent := func(tag string) bool { return slices.Contains(u.Tags.Or(nil), tag) }
	o.Changes = []Change{
		switched(AspectTags, len(u.Tags.Or(nil)) > 0, u.OverwriteTags,
			FieldOverwriteTags, had(!file.Tags.IsZero(), len(slices.DeleteFunc(slices.Clone(file.Tags.Or(nil)), sent)))),
		switched(AspectAITags, false, u.OverwriteAITags,
			FieldOverwriteAITags, had(!file.AITags.IsZero(), len(file.AITags.Or(nil)))),
		region,
		switched(AspectMetadata, len(u.CustomMetadata.Or(nil)) > 0, u.OverwriteCustomMetadata,
			FieldOverwriteMetadata, had(file.CustomMetadata != nil, len(file.CustomMetadata))),
	}
	return o
}

// switched applies the common rule of tags, AI tags and custom metadata.
func switched(aspect Aspect, sent bool, overwrite api.Field[bool], field string, had int) Change {
	c := Change{Aspect: aspect, Had: had}
	switch {
	case sent:
		c.Effect, c.Reason = SetTo, "the request has them"
		if aspect == AspectMetadata {
			c.Reason = "the request has some"
		}
	case overwrite.Or(true):
		c.Effect, c.Reason, c.Keep = Removed, field+" is on and you send none", field
		if aspect == AspectAITags {
			c.Reason = field + " is on"
		}
	default:
		c.Effect, c.Reason = Retained, field+" is off"
	}
	return c
}

// Line is a sentence of a prediction.
type Line struct {
	Text string
	Loss Aspect // what the file there loses; empty for nothing
	Keep string // name of the request field that prevents the loss if set to false; may be empty
	Had  int    // how many are lost; 0 or less if that is unknown
}

// Lines describes the prediction: first the file, then each aspect that changes or is kept, unless
// it is known to be empty.
func (o Prediction) Lines() []Line {
	name := api.Quote(o.Path)
	first := ""
	switch o.Result {
	case NewFile:
		if first = "A new file " + name + ": " + o.Reason + "."; o.Suffix {
			first = strings.TrimSuffix("A new file, next to whatever is there: "+o.Reason, ": ") + "."
		}
	case Refusal:
		first = "The service will refuse it: " + o.Reason + "."
	case maybeRefusal:
		first = "A new file " + name + ". If one is there already, the service refuses: " + o.Reason + "."
	case NewVersion:
		first = "A new version of " + name + ": " + o.Reason + "."
	case eitherOfBoth:
		first = "A new file " + name + ". If one is there already, a new version of it:"
	}
	lines := []Line{{Text: first}}
	for _, c := range o.Changes {
		if c.Had != 0 || c.Effect == SetTo {
			var loss Aspect
			if c.Effect == Removed || c.Effect == SetTo && c.Had > 0 {
				loss = c.Aspect
			}
			lines = append(lines, Line{c.sentence(), loss, c.Keep, c.Had})
		}
	}
	return lines
}

// Loses reports whether the file there loses something, or may.
func (o Prediction) Loses() bool {
	return slices.ContainsFunc(o.Lines(), func(l Line) bool { return l.Loss != "" })
}

// Keeps returns the request fields that each prevent a loss if set to false.
func (o Prediction) Keeps() (fields []string) {
	for _, l := range o.Lines() {
		if l.Keep != "" {
			fields = append(fields, l.Keep)
		}
	}
	return fields
}

func (c Change) sentence() string {
	what := "Its " + string(c.Aspect)
	verb := "are"
	if c.Aspect == AspectRegion || c.Aspect == AspectMetadata {
		verb = "is"
	}
	if c.Had > 0 && (c.Aspect == AspectTags || c.Aspect == AspectAITags) {
		what = fmt.Sprintf("Its %d %s", c.Had, c.Aspect)
		if c.Had == 1 {
			what, verb = "Its one "+string(c.Aspect[:len(c.Aspect)-1]), "is"
		}
	}
	if c.Effect == SetTo && c.Had != 0 {
		return fmt.Sprintf("%s %s replaced: %s.", what, verb, c.Reason)
	}
	return fmt.Sprintf("%s %s %s: %s.", what, verb, c.Effect, c.Reason)
}
