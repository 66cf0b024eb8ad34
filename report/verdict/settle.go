package verdict

import (
	"fmt"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// settle says what would settle an inconclusive comparison, if that is known.
func settle(v result.Verdict) string {
	if v.Outcome != result.Inconclusive {
		return ""
	}
	list := v.Reasons
	if v.Settle != nil {
		list = append([]string{launches(v.Settle)}, list...)
	}
	if len(list) == 0 {
		return ""
	}
	return " What would settle it: " + strings.Join(list, "; ") + "."
}

// launches is the range of launches: "15 to 40 launches in all, 8 to 20 min; start again with --launches 40".
func launches(s *result.Settle) string {
	if !s.Practical {
		return fmt.Sprintf("not practical here (%s launches or more)", number.Count(int64(s.Low)))
	}
	text := fmt.Sprintf("%d to %d launches in all", s.Low, s.High)
	if s.LowNS > 0 {
		text += ", " + span(s.LowNS, s.HighNS)
	}
	return text + fmt.Sprintf("; start again with --launches %d", s.High)
}

// span is two times in the unit of the larger: "8 to 20 min".
func span(low, high int64) string {
	const second, minute = int64(1e9), int64(60e9)
	unit, name := second, "s"
	if high >= 2*minute {
		unit, name = minute, "min"
	}
	up := func(ns int64) int64 { return max(1, (ns+unit/2)/unit) }
	if up(low) == up(high) {
		return fmt.Sprintf("%d %s", up(high), name)
	}
	return fmt.Sprintf("%d to %d %s", up(low), up(high), name)
}
