package compare

import (
	"errors"
	"testing"
)

func TestOneReasonOfAKindIsKept(t *testing.T) {
	c := &comparison{}
	for _, fault := range []ArmError{
		{Arm: "rest", Err: errors.New("other processes took 47 % of the CPU")},
		{Arm: "grpc", Err: errors.New("other processes took 5.2 % of the CPU")},
		{Arm: "rest", Err: errors.New("its server ended: exit status 1")},
	} {
		c.voidRound(nil, &fault)
	}
	if c.invalid != 3 || len(c.reasons) != 2 || c.reasons[0] != "arm rest: other processes took 47 % of the CPU" {
		t.Errorf("%d invalid, reasons %q", c.invalid, c.reasons)
	}
}
