package report

import (
	"bytes"
	"fmt"
	"strings"

	"wiregauge/internal/gate"
	"wiregauge/report/story"
	"wiregauge/report/verdict"
	"wiregauge/result"
)

// What GitHub Actions takes: it shows 10 annotations of a kind and step, of which we leave room for others; a comment
// on a pull request holds 65,536 characters, and a step summary is often posted as one.
const (
	maxAnnotations = 5
	maxSummary     = 60_000 // bytes
)

// An annotation is one workflow command: "::error title=…::…".
type annotation struct{ level, title, text string }

// Annotations are the workflow commands that show in GitHub Actions what a person should look at: gates that failed or
// could not be judged, numbers that are not trustworthy, and the verdicts, at most five, the worst first.
func Annotations(files []*result.File) []string {
	var errors, warnings, notices []annotation
	for _, f := range files {
		for _, g := range f.Gates {
			switch {
			case g.Unknown != "":
				warnings = append(warnings, annotation{"warning", "gate not judged", gate.Say(g)})
			case !g.Passed:
				errors = append(errors, annotation{"error", "gate failed", gate.Say(g)})
			}
		}
		if f.Trust.Level == result.TrustNotTrustworthy {
			warnings = append(warnings, annotation{"warning", "not trustworthy", trustWords(f)})
		}
		for _, v := range f.Verdicts {
			if !v.Primary || v.Outcome == "" {
				continue
			}
			a := annotation{"notice", "verdict", verdict.Sentence(v, verdict.Context{Fair: f.Fair})}
			if v.Outcome == result.NotFair {
				a.level = "warning"
			}
			notices = append(notices, a)
		}
	}
	return commands(append(append(errors, warnings...), notices...))
}

func trustWords(f *result.File) string {
	return "the numbers are not to be relied on: " + strings.Join(doubtsOf(f), "; ")
}

// doubtsOf are the reasons to believe a result less, each with the arm that it is about.
func doubtsOf(f *result.File) []string {
	var words []string
	for _, r := range f.Trust.Reasons {
		if r.Level == result.TrustNote || r.Level == result.TrustUnknown {
			continue
		}
		text := doubt(r)
		if r.Arm != "" && len(f.Arms) > 1 {
			text = r.Arm + ": " + text
		}
		words = append(words, text)
	}
	return words
}

// commands writes annotations as workflow commands. Of too many, the last one says how many more there are.
func commands(all []annotation) []string {
	more := len(all) - maxAnnotations
	if more > 0 {
		more++
		all = append(all[:maxAnnotations-1:maxAnnotations-1],
			annotation{"notice", "more", fmt.Sprintf("%d more are in the step's summary", more)})
	}
	var lines []string
	for _, a := range all {
		lines = append(lines, "::"+a.level+" title="+githubProperty.Replace("wiregauge: "+a.title)+"::"+githubData.Replace(a.text))
	}
	return lines
}

// What a workflow command may not hold as it stands: line ends would end it, and in a property colon and comma would.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// StepSummary is the Markdown of results for a step's summary, below 60 kB: when the whole is larger, details go first,
// then whole sections from the end, and it says so.
func StepSummary(files []*result.File, opt Options) []byte {
	s := story.Of(files, opt.story())
	text := markdown(s)
	if len(text) <= maxSummary {
		return text
	}
	var short []story.Section
	for _, sec := range s.Sections {
		if !sec.Detail {
			short = append(short, sec)
		}
	}
	for n := len(short); n >= 0; n-- {
		s.Sections = short[:n]
		text = append(markdown(s), "\nThe rest is left out here, since a summary has little room: see the report.\n"...)
		if len(text) <= maxSummary {
			return text
		}
	}
	return bytes.ToValidUTF8(text[:maxSummary], nil)
}

func markdown(s *story.Story) []byte {
	var out bytes.Buffer
	_ = storyMD(&out, s) // a buffer takes everything
	return out.Bytes()
}
