package load

import "testing"

// What the table of ended connections calls a server's notice is what its protocol calls it.
func TestNoticeOfTheServer(t *testing.T) {
	for _, tt := range []struct {
		name        string
		multiplexed bool
		want        string
	}{
		{"calls share a connection", true, "goaway"},
		{"one call at a time", false, "closed by server"},
	} {
		k := &link{lane: &lane{e: &Engine{plan: Plan{Multiplexed: tt.multiplexed}}}}
		if k.Closing(); endingNames[k.why] != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, endingNames[k.why], tt.want)
		}
	}
}
