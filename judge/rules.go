package judge

import (
	"math"
	"slices"
)

// Rules are what was fixed before the first call.
type Rules struct {
	Launches  int     // planned, at most
	Rounds    int     // planned per launch
	MinEffect float64 // the smallest difference worth a word: 0.01 is 1 %
	Primary   []string
	Baseline  string
	// Control is the arm that is the baseline once more; empty when there is none. It is judged by NoiseFloor only.
	Control string
}

// A Look is a moment at which a comparison may be judged, in finished launches, and the level of its tests.
type Look struct {
	Launches int
	Alpha    float64
}

// Looks are those of a plan; the last is its end. The levels keep false alarms over all looks below 5 %, because they
// were fixed before and are few: testing again and again until something is found gives 20 %.
func Looks(launches int) []Look {
	switch launches {
	case 10:
		return []Look{{7, .016}, {10, .044}}
	case 20:
		return []Look{{10, .0044}, {14, .016}, {20, .044}}
	}
	return []Look{{launches, .05}}
}

// oneLaunchLimit is the least difference worth a word on one launch, which has a bias of its own that no number of
// rounds shows.
const oneLaunchLimit = 0.05

// sameBand is the narrowest band within which two arms are the same for all practical purposes.
const sameBand = 0.02

// Limit is the smallest difference worth a word, as a share.
func (r *Rules) Limit() float64 {
	if r.Launches > 1 {
		return r.MinEffect
	}
	return math.Max(r.MinEffect, oneLaunchLimit)
}

// Band is how far the 90 % interval may reach for two arms to be called the same, as a share.
func (r *Rules) Band() float64 { return math.Max(sameBand, r.Limit()) }

// fewestForExact is the fewest launches that the signed-rank test can judge; below it Student's t does.
const fewestForExact = 6

// CanDecide says before the start whether a plan can call anything different. arms counts those that get a verdict,
// baseline included; metrics counts the primary ones. The smallest p value of the signed-rank test on L launches is
// 2^(1-L), and Holm's correction multiplies it by the number of tests. least is the fewest launches that can decide.
// One launch is judged by its rounds and 2 to 5 by Student's t, whose p value has no such floor.
func CanDecide(arms, metrics, launches int) (ok bool, least int) {
	if launches < fewestForExact {
		return true, launches
	}
	tests := max(1, (arms-1)*metrics)
	for least = launches; !canDecide(tests, least); least++ {
	}
	return least == launches, least
}

// canDecide reports whether so many launches can bring one of so many tests below the level of their last look.
func canDecide(tests, launches int) bool {
	looks := Looks(launches)
	return launches < fewestForExact || float64(tests)*math.Exp2(float64(1-launches)) <= looks[len(looks)-1].Alpha
}

// level is the alpha of a comparison that ended so after so many launches, and the look that it belongs to. judged
// is false before the first look: then nothing may be called different or the same.
func (r *Rules) level(d *Data) (alpha float64, look int, judged bool) {
	looks := Looks(r.Launches)
	last := looks[len(looks)-1]
	done := d.done()
	switch d.Ended {
	case AtLook:
		if i := slices.IndexFunc(looks, func(l Look) bool { return l.Launches == done }); i >= 0 {
			return looks[i].Alpha, done, true
		}
		return looks[0].Alpha, done, done >= looks[0].Launches
	case Interrupted:
		return last.Alpha, done, done >= looks[0].Launches
	}
	return last.Alpha, done, true
}
