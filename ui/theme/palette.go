package theme

// palette names the colours that the roles are made of. Every text colour
// keeps a contrast of 4.5 to 1 with the ground it is written on (the tests
// compute it), so that muted never means unreadable.
type palette struct {
	// ground is what we take the terminal's background to be.
	ground string
	// Text colours on the ground.
	muted, accent, good, warn, bad, marked string
	// line draws borders: seen, but behind the words.
	line string
	// Raised surfaces: fields and chips; the row under the cursor; the thing
	// that enter acts upon.
	raised, raisedText, selected, selectedText, strong, strongText string
}

var darkPalette = palette{
	ground: "#1b1d23",
	muted:  "#97a0b0", accent: "#82b4f5", good: "#8fcf9d", warn: "#e6c07a", bad: "#f5918a", marked: "#d5a8f0",
	line:   "#5d6675",
	raised: "#2a2e38", raisedText: "#dfe4ec",
	selected: "#2f4468", selectedText: "#ffffff",
	strong: "#82b4f5", strongText: "#10192a",
}

var lightPalette = palette{
	ground: "#ffffff",
	muted:  "#5b6472", accent: "#1b5cb8", good: "#1c6e37", warn: "#805300", bad: "#b02a21", marked: "#7a2fa8",
	line:   "#949cab",
	raised: "#eceff4", raisedText: "#1d232e",
	selected: "#cfe0fa", selectedText: "#0d2247",
	strong: "#1b5cb8", strongText: "#ffffff",
}

func paletteFor(dark bool) palette {
	if dark {
		return darkPalette
	}
	return lightPalette
}
