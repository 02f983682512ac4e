package picture

// Report returns the findings as label and text, and why the terminal was not queried.
func (d *Detector) Report() [][2]string {
	var list [][2]string
	for _, line := range d.Abilities().Findings.Lines() {
		list = append(list, [2]string{line.Label, line.Value})
	}
	return list
}
