package text

// ForgetTerminal undoes what [NoteTerminal] learned.
func ForgetTerminal() { countsLetters.Store(false) }
