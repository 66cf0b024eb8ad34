package result

import "time"

// Against is a comparison with a result that was saved before. Verdicts are unpaired, never above LOW, and decide no
// gate: whatever changed between the two times is part of the difference. A of a verdict names the saved arm.
type Against struct {
	Name     string    `json:"name"` // the file, as it was given
	ID       string    `json:"id"`
	Created  time.Time `json:"created"`
	Verdicts []Verdict `json:"verdicts"`
}
