package html

import (
	"fmt"
	"slices"
	"strings"

	"wiregauge/report/story"
	"wiregauge/result"
)

// A section is one of the story with its drawings, or several of one kind beside each other.
type section struct {
	story.Section
	Figures []*figure
	Cards   []story.Section
}

// A layout decides which drawing stands where; each is drawn once.
type layout struct {
	s      *story.Story
	files  []*result.File
	placed map[string]bool
}

// file is the only result; nil when several are told.
func (l *layout) file() *result.File {
	if len(l.files) == 1 {
		return l.files[0]
	}
	return nil
}

// lead are the drawings of the first screen, two at most.
func (l *layout) lead() []*figure {
	curve := percentileCurve(l.s, l.file()).with(tableOf(l.s, "latency"))
	f := l.file()
	if f == nil {
		return l.place(curve.with(tableOf(l.s, "summary")))
	}
	ramp, rampLatency := rampFigures(l.s)
	switch {
	case f.Capacity != nil && len(f.Capacity.Probes) > 1:
		return l.place(l.capacity(), curve)
	case len(f.Sweep) > 1 && f.Sweep[0].Rate > 0:
		return l.place(latencySweep(l.s, f).with(tableOf(l.s, "sweep")), throughputSweep(l.s, f).with(tableOf(l.s, "sweep")))
	case len(f.Sweep) > 1:
		return l.place(throughputSweep(l.s, f).with(tableOf(l.s, "sweep")), latencySweep(l.s, f).with(tableOf(l.s, "sweep")))
	case ramp != nil:
		return l.place(ramp.with(tableOf(l.s, "steps")), rampLatency.with(tableOf(l.s, "steps")))
	case len(f.Verdicts) > 0:
		return l.place(curve, pairedRatios(l.s, f, true).with(tableOf(l.s, "verdicts")))
	case len(l.s.Arms) == 1:
		return l.two(curve, overTime(l.s, f), phases(l.s), bytesPerCall(l.s).with(tableOf(l.s, "bytes")), cpuPerCall(l.s).with(cpuTable(l.s)).alone())
	default:
		return l.two(curve, overTime(l.s, f), bytesPerCall(l.s).with(tableOf(l.s, "bytes")), cpuPerCall(l.s).with(cpuTable(l.s)).alone())
	}
}

// of are the drawings of a section that are not on the first screen.
func (l *layout) of(id string) []*figure {
	f := l.file()
	switch {
	case id == "bytes":
		return l.place(bytesPerCall(l.s).with(tableOf(l.s, "bytes")), cpuPerCall(l.s).with(cpuTable(l.s)).alone())
	case id == "errors":
		return l.place(errorsOverTime(l.s).with(tableOf(l.s, "errors")))
	case f == nil:
		return nil
	case id == "verdicts" && (len(f.Sweep) > 1 || len(ratioRows(f)) > mostRatios):
		return l.place(pairedRatios(l.s, f, false).with(tableOf(l.s, "verdicts")))
	case id == "latency":
		time := overTime(l.s, f)
		if time != nil && time.Table == nil {
			time = time.with(tableOf(l.s, "latency"))
		}
		return l.place(percentileCurve(l.s, f).with(tableOf(l.s, "latency")), time, phases(l.s))
	case id == "capacity":
		return l.place(l.capacity())
	case id == "warmup":
		return l.place(warmUps(l.s))
	default:
		return nil
	}
}

func (l *layout) capacity() *figure {
	fig := probes(l.file())
	if t := tableOf(l.s, "capacity"); t != nil {
		return fig.with(t)
	}
	return fig.with(probeTable(l.file())).alone()
}

// two are the first two drawings that are there.
func (l *layout) two(figures ...*figure) []*figure {
	var kept []*figure
	for _, f := range figures {
		if len(kept) < 2 && f != nil && !f.Wide {
			kept = append(kept, l.place(f)...)
		}
	}
	return kept
}

// place keeps the drawings that are there and were not placed before.
func (l *layout) place(figures ...*figure) []*figure {
	var kept []*figure
	for _, f := range figures {
		if f != nil && !l.placed[f.ID] {
			l.placed[f.ID] = true
			kept = append(kept, f)
		}
	}
	return kept
}

// sections are those of the story, with drawings; loads of several arms stand beside each other. The summary is on
// the first screen. Drawings without a section of the story get one of their own behind the latencies.
func (l *layout) sections() []section {
	var all []section
	for _, sec := range l.s.Sections {
		switch {
		case sec.ID == "summary":
		case strings.HasPrefix(sec.ID, "load-"):
			all = l.load(all, sec)
		case sec.ID == "checks" && len(l.s.Arms) > 1:
			all = append(all, l.checks(sec))
		default:
			one := section{Section: sec, Figures: l.of(sec.ID)}
			if sec.ID == "bytes" && len(one.Figures) > 1 {
				one.Title = "Bytes and CPU"
			}
			all = append(all, one)
		}
	}
	for _, own := range []story.Section{{ID: "capacity", Title: "Capacity"}, {ID: "warmup", Title: "Warm-up"}} {
		if has(all, own.ID) {
			continue
		}
		if figures := l.of(own.ID); len(figures) > 0 {
			at := 1 + slices.IndexFunc(all, func(s section) bool { return s.ID == "latency" })
			all = slices.Insert(all, at, section{Section: own, Figures: figures})
		}
	}
	return all
}

func has(all []section, id string) bool {
	return slices.ContainsFunc(all, func(s section) bool { return s.ID == id })
}

// load gathers the loads of several arms as cards of one section.
func (l *layout) load(all []section, sec story.Section) []section {
	sec.Title = strings.TrimPrefix(sec.Title, "Load of ")
	if len(all) > 0 && all[len(all)-1].ID == "load" {
		last := &all[len(all)-1]
		last.Cards = append(last.Cards, sec)
		return all
	}
	return append(all, section{Section: story.Section{ID: "load", Title: "Load"}, Cards: []story.Section{sec}})
}

// checks gathers the checks of several arms as cards; what is about all of them stays below.
func (l *layout) checks(sec story.Section) section {
	cards := make([]story.Section, len(l.s.Arms))
	var rest []story.Fact
	for _, f := range sec.Facts {
		i := slices.IndexFunc(l.s.Names, func(name string) bool { return strings.HasPrefix(f.Name, name+": ") })
		if i < 0 {
			rest = append(rest, f)
			continue
		}
		f.Name = strings.TrimPrefix(f.Name, l.s.Names[i]+": ")
		cards[i].ID, cards[i].Title = fmt.Sprintf("checks-%d", i+1), l.s.Names[i]
		cards[i].Facts = append(cards[i].Facts, f)
	}
	sec.Facts = rest
	cards = slices.DeleteFunc(cards, func(c story.Section) bool { return len(c.Facts) == 0 })
	return section{Section: sec, Cards: cards}
}

// with gives a drawing its table; nil stays nil.
func (f *figure) with(t *story.Table) *figure {
	if f != nil {
		f.Table, f.Again = t, true
	}
	return f
}

// alone says that the table is nowhere else on the page.
func (f *figure) alone() *figure {
	if f != nil {
		f.Again = false
	}
	return f
}

// tableOf is the first table of a section, nil when there is none.
func tableOf(s *story.Story, id string) *story.Table {
	for i := range s.Sections {
		if s.Sections[i].ID == id && len(s.Sections[i].Tables) > 0 {
			return &s.Sections[i].Tables[0]
		}
	}
	return nil
}
