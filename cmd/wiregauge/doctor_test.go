package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wiregauge/doctor"
	"wiregauge/load"
	"wiregauge/protocol"
)

func TestDoctorTellsTextAndJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doctor.json")
	s := invoke(t, "doctor", "-o", "json="+path)
	if s.code != 0 || !strings.Contains(s.stdout, "  timers ") || !strings.Contains(s.stdout, "  loopback ") || s.stderr != "wrote "+path+"\n" {
		t.Errorf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r doctor.Report
	if err := json.Unmarshal(text, &r); err != nil || r.Schema != doctor.Schema || !strings.HasPrefix(s.stdout, r.Verdict+"\n\n") {
		t.Errorf("%v, %s, %q", err, r.Schema, r.Verdict)
	}
}

func TestDoctorText(t *testing.T) {
	got := doctorText(&doctor.Report{Verdict: "V.", Findings: []doctor.Finding{
		{Name: "a", State: doctor.OK, Text: "fine"}, {Name: "longer", State: doctor.Bad, Text: "not so", Advice: "do this"}}})
	want := "V.\n\n  a       ok   fine\n  longer  BAD  not so\n               -> do this\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDoctorRefusesInWords(t *testing.T) {
	for args, want := range map[string]string{
		"doctor now":                  "`wiregauge doctor` takes no argument",
		"doctor -o html=x.html":       "doctor tells text and json",
		"doctor -o json=/nowhere/x.j": "mkdir -p /nowhere",
	} {
		if s := invoke(t, strings.Fields(args)...); s.code != exitUsage || !strings.Contains(s.stderr, want) || s.stdout != "" {
			t.Errorf("%s: exit %d, %q", args, s.code, s.stderr)
		}
	}
}

func TestSchemaOfDoctor(t *testing.T) {
	if s := invoke(t, "schema", "doctor"); s.code != 0 || !bytes.Equal([]byte(s.stdout), doctor.SchemaJSON) {
		t.Errorf("exit %d, %.60q", s.code, s.stdout)
	}
}

// Every protocol of this binary is in the list, with a rate or the reason why there is none.
func TestDoctorMeasuresEveryClient(t *testing.T) {
	for _, p := range protocol.All() {
		c := ceilingFor(t.Context(), p, load.Spec{Total: 500})
		if c.Protocol != p.Name || c.Rate == nil != (c.Why != "") || c.Rate != nil && *c.Rate <= 0 || c.Load == "" {
			t.Errorf("%+v", c)
		}
		if runtime.GOOS == "linux" && c.Rate == nil {
			t.Errorf("%s: %s", p.Name, c.Why)
		}
	}
}
