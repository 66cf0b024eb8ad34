package sample

import "wiregauge/result"

// NotTrusted is a run whose client was the limit and whose host was busy: nothing it prints may be used.
func NotTrusted() *result.File {
	f := Slow()
	f.Title = "Check on a busy machine"
	f.Trust = result.Trust{Level: result.TrustNotTrustworthy, Absolute: result.TrustNotTrustworthy, Ratio: result.TrustOK, Checked: 14, Passed: 11,
		Reasons: []result.Reason{
			{Code: "V3", Name: "client CPU", Level: result.TrustNotTrustworthy, Measured: "99 % of 2 cores", Limit: "80 %",
				Affects: result.AffectsAbsolute, Advice: "ask for less, or use a faster machine"},
			{Code: "V8", Name: "steal", Level: result.TrustSuspect, Measured: "6 %", Limit: "1 %", Affects: result.AffectsAbsolute},
			{Code: "V11", Name: "clock", Level: result.TrustUnknown, Measured: "the clock source could not be read"},
		}}
	return f
}

// AbsoluteVoid is a comparison whose absolute numbers must not be used while its ratios may.
func AbsoluteVoid() *result.File {
	f := Comparison()
	f.Title = "REST vs gRPC on a noisy machine"
	f.Trust = result.Trust{Level: result.TrustNotTrustworthy, Absolute: result.TrustNotTrustworthy, Ratio: result.TrustOK, Checked: 16, Passed: 14,
		Reasons: []result.Reason{
			{Code: "V8", Name: "steal", Level: result.TrustNotTrustworthy, Measured: "7 %", Limit: "5 %", Affects: result.AffectsAbsolute,
				Advice: "use a machine of your own"},
			{Code: "V6", Name: "tail", Level: result.TrustSuspect, Arm: "rest", Measured: "40 calls beyond", Limit: "100", Affects: "p99.9"},
		}}
	return f
}

// Demanding is a comparison with a noise floor, warm-ups and a verdict for every metric.
func Demanding() *result.File {
	f := Comparison()
	f.Trust = result.Trust{Level: result.TrustOK, Absolute: result.TrustOK, Ratio: result.TrustOK, Checked: 17, Passed: 17, Reasons: []result.Reason{}}
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		if v.Metric == "p50" || v.Metric == "p99" {
			v.Outcome, v.Confidence, v.P, v.PAdjusted = result.Faster, "HIGH", new(0.002), new(0.004)
		}
		if v.Metric == "p99" && v.B == "rest-h2" {
			v.Outcome, v.Confidence = result.Inconclusive, "LOW"
			v.Settle = &result.Settle{Low: 15, High: 40, LowNS: 480e9, HighNS: 1200e9, Practical: true}
		}
		if v.Metric == "cpu" && v.B == "rest-h2" {
			v.Outcome, v.Confidence = result.Same, "HIGH"
			v.Ratio, v.Low, v.High = new(1.004), new(0.991), new(1.013)
		}
	}
	f.NoiseFloor = &result.NoiseFloor{Arm: "rest", HalfWidth: map[string]float64{"rate": 0.03, "p50": 0.025, "p99": 0.09, "cpu": 0.02}}
	for i := range f.Arms {
		f.Arms[i].WarmUp = warmUp(specs[i].median, []string{result.WarmFound, result.WarmFound, result.WarmFound, result.WarmUnsteady}[i])
	}
	return f
}
