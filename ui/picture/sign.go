package picture

// signs are drawings of the kinds of content, three lines each, of glyphs that
// every font has in one width.
var signs = [...][3]string{
	KindOther:    {"┌─────┐", "│  ?  │", "└─────┘"},
	KindPicture:  {"┌─────┐", "│ /\\o │", "└─────┘"},
	KindVideo:    {"┌┬───┬┐", "├┤ > ├┤", "└┴───┴┘"},
	KindAudio:    {"  ┌──┐ ", "  │  │ ", " (_)(_)"},
	KindText:     {"┌─────┐", "│ Abc │", "└─────┘"},
	KindDocument: {"┌───┐_ ", "│ ══ │ ", "└────┘ "},
	KindArchive:  {"┌──┬──┐", "├──┼──┤", "└──┴──┘"},
}

// Sign is a small drawing of the kind, for what has no preview: lines of equal
// width.
func (k Kind) Sign() []string {
	if k < 0 || int(k) >= len(signs) {
		k = KindOther
	}
	return signs[k][:]
}
