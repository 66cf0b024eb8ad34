package result

// How far numbers may be believed. A file is as good as its worst check.
const (
	TrustOK             = "ok"
	TrustSuspect        = "suspect"
	TrustNotTrustworthy = "not_trustworthy"
	TrustUnchecked      = "unchecked" // no check has run, as in files of older versions
)

// What a check says of itself beside the trust levels: a note lowers nothing; unknown could not be read.
const (
	TrustNote    = "note"
	TrustUnknown = "unknown"
)

// What a doubt is about. A percentile ("p99") or another metric's name stands for that number only.
const (
	AffectsAbsolute = "absolute" // printed numbers and absolute gates
	AffectsRatio    = "ratio"    // paired verdicts and relative gates
)

// Trust says whether the numbers may be believed. Level is the worst over both scopes; Absolute and Ratio are the
// worst that concerns printed numbers and paired verdicts. Reasons hold every check that is not ok, notes and
// unknown ones included.
type Trust struct {
	Level    string   `json:"level"` // "ok", "suspect", "not_trustworthy", "unchecked"
	Absolute string   `json:"absolute,omitempty"`
	Ratio    string   `json:"ratio,omitempty"`
	Checked  int      `json:"checked,omitempty"` // checks that apply and could be read
	Passed   int      `json:"passed,omitempty"`  // of these, without a doubt
	Reasons  []Reason `json:"reasons"`
}

// Reason is one doubt, carried with the number it concerns.
type Reason struct {
	Code     string `json:"code"`            // "V3"
	Name     string `json:"name,omitempty"`  // "client CPU"
	Level    string `json:"level,omitempty"` // "suspect", "not_trustworthy", "note", "unknown"
	Arm      string `json:"arm,omitempty"`
	Measured string `json:"measured"`
	Limit    string `json:"limit,omitempty"`
	Affects  string `json:"affects,omitempty"` // "absolute", "ratio", "p99"
	Advice   string `json:"advice,omitempty"`
}
