package result

// The outcomes of a Verdict.
const (
	NotFair        = "not_fair"
	Faster         = "faster"
	Slower         = "slower"
	ProbablyFaster = "probably_faster"
	ProbablySlower = "probably_slower"
	Same           = "same"
	Inconclusive   = "inconclusive"
)
