package option

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// shared is a group of options that several commands embed.
type shared struct {
	Version string `flag:"http" alias:"http1.1=1.1,http2=2" value:"1.1|2" choices:"1.1|2" help:"the version"`
	Quiet   bool   `flag:"silent,s" alias:"quiet" help:"no talk"`
}

type sample struct {
	shared    `group:"Talk"`
	Calls     Count         `flag:"total,n" value:"N" help:"calls"`
	Inflight  int           `flag:"concurrency,c" value:"N" default:"50" min:"1" max:"1000" help:"calls in flight"`
	Rate      string        `flag:"rate,r" alias:"-q,-R" value:"N" help:"calls per second"`
	Timeout   time.Duration `flag:"timeout,t" bare:"s" min:"0" default:"20s" value:"TIME" help:"per call"`
	Length    time.Duration `flag:"duration,z" value:"TIME" help:"how long"`
	Header    []string      `flag:"header,H" value:"'K: V'" help:"header"`
	MaxReply  Size          `flag:"max-reply" value:"SIZE" help:"largest answer"`
	MaxErrors Share         `flag:"max-errors" value:"SHARE" default:"1%" help:"most errors"`
	Seed      uint64        `flag:"seed" value:"N" help:"of randomness"`
	Untagged  int           // no option
}

// parse binds a sample and parses arguments.
func parse(t *testing.T, args ...string) (*sample, *Set, error) {
	t.Helper()
	s := &sample{}
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	set := Bind(fs, s)
	return s, set, fs.Parse(args)
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		ok   func(*sample) bool
	}{
		{"defaults", nil, func(s *sample) bool {
			return s.Inflight == 50 && s.Timeout == 20*time.Second && s.MaxErrors == 0.01
		}},
		{"a count in thousands", []string{"-n", "10k"}, func(s *sample) bool { return s.Calls == 10_000 }},
		{"a count in millions, with a fraction", []string{"-n", "1.5m"}, func(s *sample) bool { return s.Calls == 1_500_000 }},
		{"a bare number is seconds where the table says so", []string{"-t", "3"}, func(s *sample) bool { return s.Timeout == 3*time.Second }},
		{"no timeout", []string{"-t", "0"}, func(s *sample) bool { return s.Timeout == 0 }},
		{"a fraction of a second", []string{"-t", "0.25"}, func(s *sample) bool { return s.Timeout == 250*time.Millisecond }},
		{"an alias with one letter", []string{"-q", "5"}, func(s *sample) bool { return s.Rate == "5" }},
		{"another alias with one letter", []string{"-R5"}, func(s *sample) bool { return s.Rate == "5" }},
		{"the last of two spellings", []string{"-R5", "--rate", "6"}, func(s *sample) bool { return s.Rate == "6" }},
		{"a long alias of a switch", []string{"--quiet"}, func(s *sample) bool { return s.Quiet }},
		{"a switch turned off", []string{"--silent=false"}, func(s *sample) bool { return !s.Quiet }},
		{"an alias that sets a value", []string{"--http2"}, func(s *sample) bool { return s.Version == "2" }},
		{"repeated, commas kept", []string{"-H", "a: b,c", "-H", "d: e"}, func(s *sample) bool { return strings.Join(s.Header, "|") == "a: b,c|d: e" }},
		{"sizes in thousands", []string{"--max-reply", "16mb"}, func(s *sample) bool { return s.MaxReply == 16_000_000 }},
		{"sizes in powers of two", []string{"--max-reply", "4MiB"}, func(s *sample) bool { return s.MaxReply == 4<<20 }},
		{"a share", []string{"--max-errors", "0.5%"}, func(s *sample) bool { return s.MaxErrors == 0.005 }},
		{"the largest seed", []string{"--seed", "18446744073709551615"}, func(s *sample) bool { return s.Seed == 1<<64-1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, err := parse(t, c.args...)
			if err != nil || !c.ok(s) {
				t.Errorf("%v, %+v", err, s)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, flag, value, want string }{
		{"a word", "concurrency", "many", `wants a whole number from 1 to 1000, got "many"`},
		{"below", "concurrency", "0", "from 1 to 1000"},
		{"above", "concurrency", "1001", "from 1 to 1000"},
		{"negative", "concurrency", "-3", "from 1 to 1000"},
		{"a fraction of a call", "total", "1.5", "a number of calls above 0"},
		{"no call", "total", "0", "above 0"},
		{"more than is exact", "total", "9007199254740993", "above 0"},
		{"exponents", "total", "1e6", "above 0"},
		{"a time without a unit", "duration", "10", "For seconds write 10s."},
		{"a negative time", "duration", "-1s", "a time of 0 or more"},
		{"no time", "duration", "0s", "a time above 0"},
		{"more than 30 days", "duration", "721h", "at most 720h"},
		{"no number", "duration", "NaN", "a time with its unit"},
		{"a size without a unit", "max-reply", "100", "For bytes write 100b."},
		{"a share without percent", "max-errors", "0.5", "a share such as 1%"},
		{"more than all", "max-errors", "101%", "a share such as 1%"},
		{"no number of percent", "max-errors", "NaN%", "a share such as 1%"},
		{"none of the choices", "http", "3", `wants 1.1 or 2, got "3"`},
		{"a switch with a word", "silent", "perhaps", "true or false"},
		{"a negative seed", "seed", "-1", "from 0 to 18446744073709551615"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := parse(t, "--"+c.flag+"="+c.value)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			var want *Want
			if !errors.As(err, &want) {
				t.Errorf("%v is no *Want", err)
			}
		})
	}
}

// TestPrecedence applies the origins in every order: flag, environment, file, default.
func TestPrecedence(t *testing.T) {
	env := func(name string) (string, bool) { return "env: 1\nenv: 2", name == "WIREGAUGE_HEADER" }
	for _, order := range [][]string{{"flag", "env", "file"}, {"flag", "file", "env"}, {"env", "flag", "file"}, {"file", "env", "flag"}} {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			s := &sample{}
			fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
			set := Bind(fs, s)
			for _, step := range order {
				var err error
				switch step {
				case "flag":
					err = fs.Parse([]string{"-H", "flag: 1", "-H", "flag: 2"})
				case "env":
					err = set.ApplyEnv(env)
				case "file":
					err = set.Lookup("header").Apply(File, "x.yaml:3", "file: 1")
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := strings.Join(s.Header, "|"); got != "flag: 1|flag: 2" {
				t.Errorf("got %q", got)
			}
			if origin, _ := set.Lookup("header").Origin(); origin != Flag {
				t.Errorf("origin %v", origin)
			}
		})
	}
}

func TestOriginIsKnown(t *testing.T) {
	_, set, err := parse(t, "-n", "5")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.ApplyEnv(func(name string) (string, bool) { return "7", name == "WIREGAUGE_CONCURRENCY" }); err != nil {
		t.Fatal(err)
	}
	if err := set.Lookup("rate").Apply(File, "x.yaml:3", "9"); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"  total                 5                            flag\n" +
		"  concurrency           7                            environment WIREGAUGE_CONCURRENCY\n" +
		"  rate                  9                            file x.yaml:3\n"
	if got := set.Describe(false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !set.Given("rate") || set.Given("timeout") || set.Given("nothing") {
		t.Error("Given is wrong about rate, timeout or nothing")
	}
	if all := set.Describe(true); strings.Count(all, "\n") != len(set.All()) {
		t.Errorf("not all options: %s", all)
	}
}

func TestEnvironmentThatDoesNotFit(t *testing.T) {
	_, set, _ := parse(t)
	err := set.ApplyEnv(func(name string) (string, bool) { return "many", name == "WIREGAUGE_CONCURRENCY" })
	if err == nil || !strings.HasPrefix(err.Error(), "WIREGAUGE_CONCURRENCY wants a whole number") {
		t.Errorf("got %v", err)
	}
	if name := set.Lookup("http").EnvName(); name != "WIREGAUGE_HTTP" {
		t.Errorf("got %s", name)
	}
}

func TestHelpText(t *testing.T) {
	_, set, _ := parse(t)
	want := "" +
		"Talk:\n" +
		"      --http 1.1|2            the version (also --http1.1, --http2)\n" +
		"  -s, --silent                no talk (also --quiet)\n"
	if got := set.Help(80); !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// TestTextIsTakenAgain: what Text says can be given back, so that an option can be copied.
func TestTextIsTakenAgain(t *testing.T) {
	_, set, err := parse(t, "-n", "10k", "-c", "7", "-t", "1.5s", "-z", "2m", "-s", "--max-reply", "1kib", "--max-errors", "0.25%", "--seed", "3", "--http2", "-R", "5")
	if err != nil {
		t.Fatal(err)
	}
	again := Bind(nil, &sample{})
	for _, o := range set.All() {
		if !o.Given() || o.Repeats() {
			continue
		}
		if err := again.Lookup(o.Name).Try([]string{o.Text()}); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
		if got := again.Lookup(o.Name).Text(); got != o.Text() {
			t.Errorf("%s: %q became %q", o.Name, o.Text(), got)
		}
	}
}

func TestDeclarationsAreChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		ptr  any
	}{
		{"a default that does not fit", &struct {
			N int `flag:"n" default:"x" help:"h"`
		}{}},
		{"no help", &struct {
			N int `flag:"n"`
		}{}},
		{"one name twice", &struct {
			A int `flag:"n" help:"h"`
			B int `flag:"n" help:"h"`
		}{}},
		{"a type that holds no option", &struct {
			N map[string]int `flag:"n" help:"h"`
		}{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a wrong declaration was taken")
				}
			}()
			Bind(nil, c.ptr)
		})
	}
}

func TestFormatDuration(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{10 * time.Second, "10s"}, {2 * time.Minute, "2m"}, {time.Hour, "1h"}, {90 * time.Second, "1m30s"},
		{250 * time.Millisecond, "250ms"}, {61 * time.Minute, "1h1m"}, {0, "0s"},
	} {
		if got := FormatDuration(c.d); got != c.want {
			t.Errorf("%v is written %q, want %q", c.d, got, c.want)
		}
	}
}

func FuzzUnits(f *testing.F) {
	for _, s := range []string{"10k", "1.5m", "5s", "16mb", "1%", "-3", "1e9", "NaN", "50,99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseCount(s); err == nil && (n < 0 || n > maxCount) {
			t.Errorf("%q is the count %d", s, n)
		}
		if n, err := ParseSize(s); err == nil && (n < 0 || n > maxCount) {
			t.Errorf("%q is the size %d", s, n)
		}
		if d, err := ParseDuration(s, "s"); err == nil && (d < 0 || d > maxDuration) {
			t.Errorf("%q is the time %v", s, d)
		}
		var share Share
		if share.Set(s) == nil && !(share >= 0 && share <= 1) {
			t.Errorf("%q is the share %v", s, share)
		}
		var p Percentiles
		if p.Set(s) == nil && len(p) == 0 {
			t.Errorf("%q is no percentile", s)
		}
	})
}

// A flag that is given nothing, as when a variable of the shell is empty, is not a flag that was not given.
func TestTextThatIsNothing(t *testing.T) {
	var o struct {
		Users string `flag:"users" value:"LIST" help:"a list"`
		Data  string `flag:"data" empty:"ok" value:"S" help:"data"`
	}
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	Bind(fs, &o)
	if err := fs.Parse([]string{"--data", ""}); err != nil {
		t.Errorf("data may be nothing: %v", err)
	}
	if err := fs.Parse([]string{"--users", ""}); err == nil || !strings.Contains(err.Error(), "a value") {
		t.Errorf("a list of nothing: %v", err)
	}
}
