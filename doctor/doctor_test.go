package doctor

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func ref[T any](v T) *T { return &v }

// healthy is what a quiet machine tells.
func healthy() *Report {
	return &Report{
		Schema: Schema, Created: time.Unix(0, 0).UTC(),
		CPU:   CPU{Count: 8, Used: 8, LimitKnown: true, Governor: ref("performance")},
		Clock: Clock{Source: ref("tsc"), Read: ref[int64](25)},
		Timers: Timers{Sleeps: 200, P50: ref[int64](20_000), P95: ref[int64](60_000),
			SleepP50: ref[int64](1_060_000), SleepP95: ref[int64](1_200_000)},
		Limits: Limits{OpenFiles: ref[uint64](20_000), OpenFilesHard: ref[uint64](20_000),
			PortLow: ref[int64](32768), PortHigh: ref[int64](60999), Somaxconn: ref[int64](4096)},
		Load:     Load{Watched: 1e9, Steal: ref(0.0), Foreign: ref(0.02)},
		TLS:      TLS{AES: ref(true), Speed: ref(4.2e9)},
		Ceilings: []Ceiling{{Protocol: "grpc", Rate: ref(412_345.6)}},
	}
}

func TestAQuietMachineCanMeasure(t *testing.T) {
	r := healthy()
	Judge(r)
	if r.Verdict != "This machine can measure." || !r.Ready {
		t.Errorf("%q, ready %v", r.Verdict, r.Ready)
	}
	for _, f := range r.Findings {
		if f.State != OK || f.Advice != "" || f.Text == "" {
			t.Errorf("%+v", f)
		}
	}
	if last := r.Findings[len(r.Findings)-1]; last.Text != "412,000 calls/s, answered from memory" {
		t.Errorf("%+v", last)
	}
}

func TestWhatSpoilsNumbersIsFound(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*Report)
		finding string
		state   State
		text    string
		verdict string
	}{
		{"one CPU", func(r *Report) { r.CPU.Count, r.CPU.Used = 1, 1 }, "CPUs", Note, "1, of which Go uses 1", "mind CPUs"},
		{"half a CPU by a control group", func(r *Report) { r.CPU.Limit = ref(.5) }, "CPU limit", Bad, "allow 0.5 CPUs", "doubtful: see CPU limit"},
		{"four of eight CPUs", func(r *Report) { r.CPU.Limit = ref(4.) }, "CPU limit", Note, "allow 4 CPUs", "mind CPU limit"},
		{"no control groups", func(r *Report) { r.CPU.LimitKnown = false }, "CPU limit", Unknown, "cannot be read", "can measure."},
		{"saving power", func(r *Report) { r.CPU.Governor = ref("powersave") }, "governor", Note, "powersave", "mind governor"},
		{"no governor", func(r *Report) { r.CPU.Governor = nil }, "governor", Unknown, "not told", "can measure."},
		{"a slow clock", func(r *Report) { r.Clock = Clock{ref("hpet"), ref[int64](900)} }, "clock", Bad, "hpet, a reading takes 900 ns", "see clock"},
		{"no clock source", func(r *Report) { r.Clock.Source = nil }, "clock", OK, "source unknown, a reading", "can measure."},
		{"late timers", func(r *Report) { r.Timers.P95 = ref[int64](5e6) }, "timers", Bad, "more than 5.00 ms", "see timers"},
		{"timers that were not measured", func(r *Report) { r.Timers = Timers{} }, "timers", Unknown, "not measured", "can measure."},
		{"few open files", func(r *Report) { r.Limits.OpenFiles = ref[uint64](1024) }, "open files", Note, "1024", "mind open files"},
		{"hardly any open files", func(r *Report) { r.Limits.OpenFiles = ref[uint64](20) }, "open files", Stop, "20", "Nothing can be measured here: see open files"},
		{"no limit on files", func(r *Report) { r.Limits.OpenFiles = ref[uint64](math.MaxUint64) }, "open files", OK, "no limit", "can measure."},
		{"few ports", func(r *Report) { r.Limits.PortHigh = ref[int64](33767) }, "ports", Note, "1000 connections", "mind ports"},
		{"ports unknown", func(r *Report) { r.Limits.PortLow = nil }, "ports", Unknown, "not told", "can measure."},
		{"a short queue", func(r *Report) { r.Limits.Somaxconn = ref[int64](128) }, "listen queue", Note, "up to 128", "mind listen queue"},
		{"a busy host", func(r *Report) { r.Load.Steal = ref(.08) }, "stolen", Bad, "8.00 %", "see stolen"},
		{"a little steal", func(r *Report) { r.Load.Steal = ref(.02) }, "stolen", Note, "2.00 %", "mind stolen"},
		{"a busy neighbour", func(r *Report) { r.Load.Foreign = ref(.30) }, "others", Bad, "30.0 %", "see others"},
		{"load unknown", func(r *Report) { r.Load.Foreign = nil }, "others", Unknown, "not told", "can measure."},
		{"no AES", func(r *Report) { r.TLS.AES = ref(false) }, "TLS", Note, "no AES instructions", "mind TLS"},
		{"AES unknown", func(r *Report) { r.TLS = TLS{} }, "TLS", Unknown, "not told", "can measure."},
		{"no loopback", func(r *Report) { r.Loopback = "connection refused" }, "loopback", Stop, "connection refused", "Nothing can be measured"},
		{"no ceiling", func(r *Report) { r.Ceilings[0] = Ceiling{Protocol: "grpc", Why: "no time"} }, "most grpc", Unknown, "not measured: no time", "can measure."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := healthy()
			c.change(r)
			Judge(r)
			found := false
			for _, f := range r.Findings {
				if f.Name != c.finding {
					continue
				}
				found = true
				if f.State != c.state || !strings.Contains(f.Text, c.text) {
					t.Errorf("%+v, want %s: %s", f, c.state, c.text)
				}
				if (f.State == Note || f.State == Bad || f.State == Stop) && f.Advice == "" {
					t.Errorf("nothing is said on what to do: %+v", f)
				}
			}
			if !found || !strings.Contains(r.Verdict, c.verdict) || r.Ready != (c.state != Stop) {
				t.Errorf("found %v, %q, ready %v", found, r.Verdict, r.Ready)
			}
			valid(t, r)
		})
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestFilesOfLinux(t *testing.T) {
	for _, c := range []struct {
		name  string
		root  fstest.MapFS
		limit *float64
		known bool
	}{
		{"a limit above the own group", fstest.MapFS{
			"proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/cpu.max": file("150000 100000\n"), "sys/fs/cgroup/a/b/cpu.max": file("max 100000\n")}, ref(1.5), true},
		{"no limit", fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/cgroup.procs": file("")}, nil, true},
		{"version 1", fstest.MapFS{"proc/self/cgroup": file("4:memory:/x\n3:cpu,cpuacct:/x\n"),
			"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": file("50000\n"), "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": file("100000\n")}, ref(.5), true},
		{"version 1 without a limit", fstest.MapFS{"proc/self/cgroup": file("3:cpu:/\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": file("-1\n"), "sys/fs/cgroup/cpu/cpu.cfs_period_us": file("100000\n")}, nil, true},
		{"another system", fstest.MapFS{}, nil, false},
		{"nonsense", fstest.MapFS{"proc/self/cgroup": file("what\n0::/a\n"), "sys/fs/cgroup/a/cpu.max": file("lots of it")}, nil, true},
	} {
		if limit, known := cgroupLimit(c.root); !reflect.DeepEqual(limit, c.limit) || known != c.known {
			t.Errorf("%s: %v, known %v", c.name, limit, known)
		}
	}
	r := &Report{}
	r.readFiles(fstest.MapFS{
		"sys/devices/system/clocksource/clocksource0/current_clocksource": file("kvm-clock\n"),
		"proc/sys/net/core/somaxconn":                                     file("4096\n"),
		"proc/sys/net/ipv4/ip_local_port_range":                           file("32768\t60999\n"),
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            file("performance\n"),
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            file("powersave\n"),
	})
	if *r.Clock.Source != "kvm-clock" || *r.Limits.Somaxconn != 4096 || r.Limits.Ports() != 28232 || *r.CPU.Governor != "mixed" {
		t.Errorf("%+v", r)
	}
	empty := &Report{}
	empty.readFiles(fstest.MapFS{})
	if empty.Clock.Source != nil || empty.Limits.Somaxconn != nil || empty.Limits.Ports() != 0 || empty.CPU.Governor != nil {
		t.Errorf("another system: %+v", empty)
	}
}

func TestThisMachineIsToldWithinTheSchema(t *testing.T) {
	r := Examine(t.Context(), Options{})
	if r.Verdict == "" || len(r.Findings) < 12 || r.Timers.Sleeps != sleeps || *r.Clock.Read <= 0 {
		t.Errorf("%+v", r)
	}
	valid(t, r)
}

// valid checks a report against the published schema, and that the schema knows each of its fields.
func valid(t *testing.T, r *Report) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("doctor.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("doctor.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	compare(t, "", value.(map[string]any), doc.(map[string]any))
}

func compare(t *testing.T, at string, value, schema map[string]any) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	for key, v := range value {
		known, there := properties[key].(map[string]any)
		if !there {
			t.Errorf("the schema does not know %s%s", at, key)
			continue
		}
		if object, nested := v.(map[string]any); nested {
			compare(t, at+key+".", object, known)
		}
		if list, nested := v.([]any); nested && len(list) > 0 {
			compare(t, at+key+"[].", list[0].(map[string]any), known["items"].(map[string]any))
		}
	}
}
