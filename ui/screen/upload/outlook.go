package upload

import (
	"slices"

	"mediadesk/api"
)

// prediction tells what one upload will do.
type prediction struct {
	lines    []predicted
	result   api.Result
	here     bool // mediadesk makes the name unique
	outlook  api.Outlook
	destroys bool   // an existing file loses something, or may
	refused  string // why the service will certainly refuse; or ""
}

// predicted is one sentence of a prediction.
type predicted struct {
	text string
	loss bool  // the sentence tells of a loss
	keep field // the switch that prevents the loss, or noField

	aspect api.Aspect // what is lost or set; empty for the first sentence
}

// foretell predicts the upload with api.Consequences and what is known of its place. Naming does not have to be applied.
// It leaves out the sentences, which told adds, because most files never need them.
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
	// One sentence for each notable change follows the first.
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

// told returns the prediction with its sentences.
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

// keep returns the first switch that prevents a loss, or noField.
func (p prediction) keep() field {
	for _, l := range p.lines {
		if l.keep != noField {
			return l.keep
		}
	}
	return noField
}
