package picture

// Report returns the label and the text of each finding.
func (d *Detector) Report() [][2]string {
	var list [][2]string
	for _, line := range d.Abilities().Findings.Lines() {
		list = append(list, [2]string{line.Label, line.Value})
	}
	return list
}
