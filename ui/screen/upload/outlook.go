package upload

import (
	"slices"

	"mediadesk/api"
)

// prediction is what one upload will do, in words.
type prediction struct {
	lines    []predicted
	result   api.Result
	here     bool // the name is made unique by us
	outlook  api.Outlook
	destroys bool   // what is there, or may be there, loses something
	refused  string // why the service will certainly say no; empty: it will not
}

// predicted is one sentence.
type predicted struct {
	text string
	loss bool  // it tells of a loss
	keep field // the switch that prevents the loss; noField where none can

	aspect api.Aspect // what is lost or set; empty for the first sentence
}

// foretell returns what an upload does, by api.Consequences, as far as is known
// of its place. The upload's way of naming need not be applied. The words of the
// sentences, which most files are never asked for, come from told.
func foretell(u api.Upload, naming api.Naming, at api.Place) prediction {
	switch naming {
	case api.NameHere:
		return prediction{result: api.NewFile, here: true, lines: []predicted{{}}}
	case api.NameService:
		u.UseUniqueFileName = api.Set(true)
	case api.NameExact:
		u.UseUniqueFileName = api.Set(false)
	}
	o := api.Consequences(&u, at)
	p := prediction{result: o.Result, outlook: o}
	if o.Result == api.Refusal {
		p.refused = o.Reason
	}
	p.lines = append(p.lines, predicted{})
	// After the first sentence there is one for each change that is worth a word.
	for _, c := range o.Changes {
		if c.Had == 0 && c.Effect != api.SetTo {
			continue
		}
		l := predicted{loss: c.Effect == api.Removed || c.Effect == api.SetTo && c.Had > 0, aspect: c.Aspect}
		p.destroys = p.destroys || l.loss
		if f := api.FieldByName(c.Keep); f != nil {
			l.keep = field(f.Key)
		}
		p.lines = append(p.lines, l)
	}
	return p
}

// told is the prediction with its words.
func (p prediction) told() prediction {
	words := []string{"A new file, next to whatever is there: mediadesk adds a unique suffix to the name. A retry after a lost connection does not create a second copy."}
	if !p.here {
		words = p.outlook.Sentences()
	}
	p.lines = slices.Clone(p.lines)
	for i := range p.lines {
		if i < len(words) {
			p.lines[i].text = words[i]
		}
	}
	return p
}

// keep is the first switch that can prevent a loss; noField where none can.
func (p prediction) keep() field {
	for _, l := range p.lines {
		if l.keep != noField {
			return l.keep
		}
	}
	return noField
}
