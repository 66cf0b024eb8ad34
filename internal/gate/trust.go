package gate

import (
	"cmp"
	"fmt"

	"wiregauge/result"
)

// raising are the checks of what can only make calls slower than they are: waiting for the client, for its CPU, for the
// machine. A bound that was kept all the same is kept.
var raising = map[string]bool{"V1": true, "V3": true, "V4": true, "V5": true, "V12": true, "V15": true}

// distrust says why a gate cannot be judged by a number that must not be used; "" when it can. passed is what the number
// itself says.
func (g *Gate) distrust(arm string, t *result.Trust, passed bool) string {
	metric := cmp.Or(map[string]string{"goodput": "rate"}[g.Metric], g.Metric)
	for i := range t.Reasons {
		r := &t.Reasons[i]
		alone := result.Trust{Level: r.Level, Reasons: t.Reasons[i : i+1]}
		switch {
		case r.Level != result.TrustNotTrustworthy || alone.Of(arm, metric) != result.TrustNotTrustworthy:
		case passed && raising[r.Code]:
		case r.Code == tail: // measure has said what the number of calls allows
		default:
			return fmt.Sprintf("the number is not trustworthy: %s: %s", r.Name, r.Measured)
		}
	}
	return ""
}

// tail is the check of how many calls lie beyond a percentile.
const tail = "V11"
