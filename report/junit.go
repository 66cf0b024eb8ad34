package report

import (
	"cmp"
	"encoding/xml"
	"io"
	"time"

	"wiregauge/internal/gate"
	"wiregauge/report/verdict"
	"wiregauge/result"
)

// writeJUnit writes a test suite per result, with a test case per gate and per verdict. A gate that failed is a
// failure; one that could not be judged, and a verdict that is none, is skipped: a report that only counts failures
// must not take it for a good one. A slower arm is a finding and no failure: a gate decides what fails.
func writeJUnit(w io.Writer, files []*result.File, _ Options) error {
	all := junitSuites{Name: "wiregauge"}
	for _, f := range files {
		all.add(junitOf(f))
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(append([]byte(xml.Header), text...), '\n'))
	return err
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

func (all *junitSuites) add(s junitSuite) {
	all.Tests, all.Failures, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Skipped+s.Skipped
	all.Suites = append(all.Suites, s)
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       float64         `xml:"time,attr"` // seconds
	Timestamp  string          `xml:"timestamp,attr"`
	Hostname   string          `xml:"hostname,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    float64       `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
}

func junitOf(f *result.File) junitSuite {
	s := junitSuite{Name: cmp.Or(f.Title, f.Kind+" "+f.ID), Time: time.Duration(f.Elapsed).Seconds(),
		Timestamp: f.Created.UTC().Format("2006-01-02T15:04:05"), Hostname: f.Host.Name}
	s.Properties = []junitProperty{{"id", f.ID}, {"trust", cmp.Or(f.Trust.Level, result.TrustUnchecked)}}
	for _, text := range doubtsOf(f) {
		s.Properties = append(s.Properties, junitProperty{"doubt", text})
	}
	for _, g := range f.Gates {
		s.add(junitGate(f, g))
	}
	for _, v := range f.Verdicts {
		if v.Outcome != "" { // others are shown without a judgement
			s.add(junitVerdict(f, v))
		}
	}
	return s
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func junitGate(f *result.File, g result.Gate) junitCase {
	c := junitCase{Class: "wiregauge.gate", Name: g.Expr, Out: gate.Say(g)}
	if g.Arm != "" {
		c.Class += "." + g.Arm
	}
	switch {
	case g.Unknown != "":
		c.Skipped = &junitMessage{Message: "cannot be judged: " + g.Unknown}
	case !g.Passed:
		c.Failure = &junitMessage{Message: gate.Say(g), Type: "gate"}
	}
	return c
}

func junitVerdict(f *result.File, v result.Verdict) junitCase {
	c := junitCase{Class: "wiregauge.verdict." + v.B, Name: verdict.Name(v.Metric) + " of " + v.B + " against " + v.A}
	c.Out = verdict.Sentence(v, verdict.Context{Fair: f.Fair})
	if v.Confidence != "" {
		c.Out += " Confidence " + v.Confidence + "."
	}
	if v.Outcome == result.Inconclusive || v.Outcome == result.NotFair {
		c.Skipped = &junitMessage{Message: c.Out}
	}
	return c
}
