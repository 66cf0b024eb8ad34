package judge

import (
	"math"
	"math/rand/v2"
)

// A machine is the noise that all arms of a simulated comparison live in, on the log scale of speed.
//
//	drift       autoregressive with a time constant of 60 s
//	white       independent from turn to turn
//	spikes      seconds in which everything is slower, each with a chance of its own
//	neighbour   another program that takes its share in bursts of 2 s, half of the time
type machine struct {
	name               string
	drift, white       float64
	spike, spikeChance float64
	neighbour          float64
}

var (
	quiet = machine{name: "quiet", drift: .04, white: .03, spike: .15, spikeChance: .02}
	noisy = machine{name: "noisy", drift: .10, white: .06, spike: .30, spikeChance: .04}
	// busy is noisy with a neighbour. Rounds scatter by 16 % and turns by 22 %; traces recorded on two cores at work had
	// 15 % and 15 to 20 %.
	busy = machine{name: "busy", drift: .10, white: .06, spike: .30, spikeChance: .04, neighbour: .35}
)

const (
	memory  = 60.0 // seconds
	washout = 0.02
	turn    = 0.25
	restart = 5.0 // seconds between launches
)

// weather is the state of a machine at a moment.
type weather struct {
	machine
	random        *rand.Rand
	drift         float64
	second        float64
	slow          float64
	burst         bool
	change        float64 // when the neighbour turns on or off
	now           float64
	rho, step, at float64 // of the last time step, kept because most are equal
}

func (m machine) start(random *rand.Rand) *weather {
	w := &weather{machine: m, random: random, drift: m.drift * random.NormFloat64()}
	w.change = 2 * random.Float64()
	return w
}

// turn is the log speed of a turn of every arm now; time goes on.
func (w *weather) turn(seconds float64) float64 {
	w.pass(seconds)
	level := w.drift + w.white*w.random.NormFloat64() - w.slow
	if w.burst {
		level -= w.neighbour
	}
	return level
}

func (w *weather) pass(seconds float64) {
	if seconds != w.at {
		w.at, w.rho = seconds, math.Exp(-seconds/memory)
		w.step = w.machine.drift * math.Sqrt(1-w.rho*w.rho)
	}
	w.drift = w.rho*w.drift + w.step*w.random.NormFloat64()
	w.now += seconds
	if second := math.Floor(w.now); second != w.second {
		w.second, w.slow = second, 0
		if w.random.Float64() < w.spikeChance {
			w.slow = w.spike
		}
	}
	for w.now > w.change {
		w.burst, w.change = !w.burst, w.change+1+2*w.random.Float64()
	}
}

// A scene is what is simulated: arms that differ from the first by these log effects, on a machine, with a bias of each
// launch of each arm.
type scene struct {
	machine  machine
	effects  []float64
	launchSD float64
	rules    Rules
}

func sceneOf(m machine, launchSD float64, launches int, effects ...float64) scene {
	return scene{machine: m, effects: effects, launchSD: launchSD, rules: Rules{
		Launches: launches, Rounds: 40, MinEffect: .01, Primary: []string{"rate"}, Baseline: "a",
	}}
}

// play simulates a whole comparison, looks included, and gives its data as they are at its end.
func (s *scene) play(random *rand.Rand) Data {
	d := Data{Metrics: []Metric{{Name: "rate", Larger: true}}, Checked: true}
	for i := range s.effects {
		d.Arms = append(d.Arms, Arm{Name: string(rune('a' + i))})
	}
	w := s.machine.start(random)
	for range s.rules.Launches {
		d.Launches = append(d.Launches, s.launch(w))
		if Stop(d, s.rules) {
			d.Ended = AtLook
			break
		}
		w.pass(restart)
	}
	return d
}

func (s *scene) launch(w *weather) Launch {
	k := len(s.effects)
	bias := make([]float64, k)
	for i := range bias {
		bias[i] = s.effects[i] + s.launchSD*w.random.NormFloat64()
	}
	rounds := make([][]float64, s.rules.Rounds)
	values := make([]float64, k*s.rules.Rounds)
	for b := range rounds {
		rounds[b] = values[b*k : (b+1)*k]
		for _, arm := range w.random.Perm(k) {
			rounds[b][arm] = 1000 * math.Exp(bias[arm]+w.turn(turn+washout))
		}
	}
	return Launch{Series: []Series{{Rounds: rounds}}}
}
