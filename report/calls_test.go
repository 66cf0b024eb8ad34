package report

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

func TestCallLogIsCSVToTheByte(t *testing.T) {
	var b strings.Builder
	l := NewCallLog(&b)
	l.Write([]result.Call{{Index: 0, Due: 0, Latency: time.Millisecond, Service: time.Millisecond, Outcome: "ok", Answered: true, Status: 200}})
	l.Write([]result.Call{
		{Index: 1, Due: time.Second, Latency: 2 * time.Second, Service: -1, Outcome: "connect", Class: "connect", Text: "refused"},
		{Index: 2, Step: 3, Due: 2 * time.Second, Latency: -1, Service: -1, Outcome: "unfinished"},
	})
	want := "call,step,due_ns,latency_ns,service_ns,outcome,status,error_class,error_text\r\n" +
		"0,0,0,1000000,1000000,ok,200,,\r\n" +
		"1,0,1000000000,2000000000,,connect,,connect,refused\r\n" +
		"2,3,2000000000,,,unfinished,,,\r\n"
	if b.String() != want || l.Err() != nil {
		t.Errorf("%v\n%q, want\n%q", l.Err(), b.String(), want)
	}
}

func TestCallLogGivesTheErrorTextBackExactly(t *testing.T) {
	var b strings.Builder
	l := NewCallLog(&b)
	for range 4 {
		l.Write([]result.Call{{Outcome: "failed", Class: "INTERNAL", Status: 13, Answered: true, Text: sample.HostileText}})
	}
	all, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(all) != 5 {
		t.Fatalf("%d records (%v), want a header and 4", len(all), err)
	}
	for _, r := range all[1:] {
		if r[8] != sample.HostileText || r[7] != "INTERNAL" || r[6] != "13" {
			t.Errorf("%q", r)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestCallLogKeepsItsFirstError(t *testing.T) {
	l := NewCallLog(full{})
	l.Write(make([]result.Call, 3))
	if err := l.Err(); err == nil || err.Error() != "no space left" {
		t.Errorf("got %v", err)
	}
}
