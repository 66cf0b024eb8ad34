package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"

	"wiregauge/internal/option"
)

// samples are two different values of every option: the first stands in the file, the second is given otherwise.
var samples = map[string][2]string{
	"total": {"10", "20"}, "concurrency": {"3", "4"}, "duration": {"1s", "2s"}, "rate": {"5", "6/min"},
	"arrivals": {"poisson", "constant"}, "ramp": {"1..4x2/1s", "1..8x2/1s"}, "timeout": {"3s", "4s"},
	"connections": {"2", "3"}, "streams": {"2", "3"}, "max-inflight": {"7", "8"}, "warmup": {"1s", "500"}, "warmup-max": {"10s", "20s"},
	"think": {"1ms", "exp:2ms"}, "no-keepalive": {"true", "false"}, "take": {"1", "2"}, "slow-consumer": {"5/s", "6/min"}, "stop": {"wait", "drop"},
	"seed": {"2", "3"}, "expect-status": {"200", "404"}, "expect": {"body contains a", "body is b"},
	"server-pid": {"1", "2"}, "server-stats": {"http://a", "http://b"},
	"data": {"a", "b"}, "data-raw": {"a", "b"}, "data-file": {"a", "b"}, "binary": {"a", "b"}, "messages": {"2", "3"}, "framing": {"delimited", "single"},
	"header": {"A: 1", "B: 2"}, "metadata": {`{"a":"1"}`, `{"b":"2"}`}, "request": {"PUT", "POST"}, "user": {"a:b", "c:d"},
	"contract": {"a.proto", "b.proto"}, "protoset": {"a", "b"}, "import-path": {"a", "b"}, "reflect": {"true", "false"},
	"call": {"a.B/C", "a.B/D"}, "codec": {"json", "protobuf"}, "allow-unknown-fields": {"true", "false"},
	"interaction": {"stream", "channel"}, "route": {"a", "b"}, "limit-rate": {"2", "3"}, "lease": {"true", "false"},
	"keepalive": {"1s,3s", "2s,6s"}, "setup-data": {"1", "2"}, "setup-metadata": {"a", "b"}, "setup-route": {"a", "b"},
	"auth": {"bearer:a", "bearer:b"}, "data-mime": {"a/a", "b/b"}, "metadata-mime": {"a/a", "b/b"}, "ws-header": {"A: 1", "B: 2"},
	"fragment": {"1kb", "2kb"}, "max-message": {"1mb", "2mb"},
	"compress": {"gzip", "identity"}, "compressed": {"true", "false"}, "max-reply": {"1mb", "2mb"}, "max-data": {"1mb", "2mb"},
	"cacert": {"a", "b"}, "cert": {"a", "b"}, "key": {"a", "b"}, "insecure": {"true", "false"}, "servername": {"a", "b"},
	"authority": {"a", "b"}, "http": {"1.1", "2"}, "tls-min": {"1.2", "1.3"}, "tls-max": {"1.2", "1.3"},
	"resolve": {"a:1:127.0.0.1", "b:1:127.0.0.1"}, "ipv4": {"true", "false"}, "ipv6": {"true", "false"},
	"unix-socket": {"a", "b"}, "connect-timeout": {"1s", "2s"}, "plaintext": {"true", "false"}, "client": {"stack", "wire"},
	"find-max": {"p99<1s", "p50<1s"}, "max-duration": {"20s", "30s"},
	"fail-if": {"p99<1s", "p50<1s"}, "max-errors": {"2%", "3%"},
	"output": {"json=a.json", "csv=b.csv"}, "percentiles": {"50,90", "99"}, "title": {"a", "b"}, "theme": {"dark", "light"},
	"silent": {"true", "false"}, "verbose": {"2", "0"}, "color": {"always", "never"}, "no-color": {"true", "false"},
	"progress": {"plain", "none"}, "name": {"a", "b"}, "label": {"a=1", "b=2"},
	"launches": {"2", "3"}, "rounds": {"2", "3"}, "turn": {"1s", "2s"}, "quick": {"true", "false"}, "control": {"true", "false"}, "against": {"a.json", "b.json"},
	"users": {"1,2", "3,4"}, "rates": {"10,20", "30,40"}, "sizes": {"1kb", "2kb"}, "size-field": {"a", "b"}, "verdict-at": {"1", "2"}, "baseline": {"a", "b"},
	"min-effect": {"2%", "3%"}, "ready-timeout": {"10s", "20s"}, "primary": {"rate", "p50"}, "require-verdict": {"true", "false"},
}

// TestEveryOptionOverridesTheFile gives each option one value in the file and another by flag or environment, in
// run and in compare (case K06). A new option needs a row in samples.
func TestEveryOptionOverridesTheFile(t *testing.T) {
	for command, fresh := range map[string]func() any{
		"run":     func() any { return &runOptions{} },
		"compare": func() any { return &compareOptions{} },
	} {
		for _, o := range option.Bind(nil, fresh()).All() {
			if !o.Suite {
				continue
			}
			t.Run(command+" "+o.Name, func(t *testing.T) {
				pair, ok := samples[o.Name]
				if !ok {
					t.Fatalf("no sample values for --%s", o.Name)
				}
				file := suiteWith(t, o.Name, pair[0])
				fromFile := resolve(t, fresh(), o.Name, file, "", "")
				fromEnv := resolve(t, fresh(), o.Name, file, pair[1], "")
				fromFlag := resolve(t, fresh(), o.Name, file, pair[0], pair[1])
				if fromFile == fromFlag || fromEnv != fromFlag {
					t.Errorf("file %q, environment over it %q, flag over both %q", fromFile, fromEnv, fromFlag)
				}
			})
		}
	}
}

// suiteWith writes a suite that sets one option.
func suiteWith(t *testing.T, key, value string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "suite.yaml")
	quoted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(key+": "+string(quoted)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// resolve is the value of an option after file, environment and flag have spoken, flags first as in a command.
func resolve(t *testing.T, ptr any, name, file, env, flag string) string {
	t.Helper()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	set := option.Bind(fs, ptr)
	if flag != "" {
		if err := fs.Parse([]string{"--" + name + "=" + flag}); err != nil {
			t.Fatal(err)
		}
	}
	err := set.ApplyEnv(func(n string) (string, bool) { return env, env != "" && n == set.Lookup(name).EnvName() })
	if err != nil {
		t.Fatal(err)
	}
	app := newApp(nil, nil, nil, func(string) (string, bool) { return "", false })
	f, err := app.readSuite(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Apply(set); err != nil {
		t.Fatal(err)
	}
	return set.Lookup(name).Text()
}
