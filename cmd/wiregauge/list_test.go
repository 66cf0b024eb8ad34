package main

import (
	"strings"
	"testing"
)

func TestListAndDescribe(t *testing.T) {
	s := startSvc(t, true)
	bare := startSvc(t, false)
	proto := protoFile(t)
	target := "grpc://" + s.address
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stdout []string
		stderr []string
	}{
		{"the services of a server", []string{"list", target}, 0, []string{"t.Svc\n"}, nil},
		{"the methods of a service", []string{"list", target, "t.Svc"}, 0, []string{"t.Svc/Echo\n", "t.Svc/BidiEcho\n"}, nil},
		{"the methods of a service in the URL", []string{"list", target + "/t.Svc"}, 0, []string{"t.Svc/Echo\n"}, nil},
		{"shapes and messages", []string{"list", target, "-v"}, 0, []string{"t.Svc/Up  client stream  t.M -> t.M\n"}, nil},
		{"the services of a file", []string{"list", "--proto", proto}, 0, []string{"t.Svc\n"}, nil},
		{"the methods of a service of a file", []string{"list", "--proto", proto, "t.Svc"}, 0, []string{"t.Svc/Echo\n"}, nil},
		{"a file beside a target", []string{"list", "--proto", proto, target}, 0, []string{"t.Svc\n"}, nil},
		{"the protocols of this program", []string{"list"}, 0, []string{"grpc:// grpcs://", "HTTP/1.1", "null://", "tcp://"}, nil},
		{"a service that is not there", []string{"list", target, "t.Svk"}, 2, nil,
			[]string{`no service "t.Svk" on ` + target + "       reflection lists: t.Svc\n", `did you mean t.Svc ?`, "NOT_FOUND"}},
		{"a service that is not in the file", []string{"list", "--proto", proto, "t.Svk"}, 2, nil, []string{`no service "t.Svk"       proto has: t.Svc`, "did you mean t.Svc ?"}},
		{"a file that is not there", []string{"list", "--proto", "gone.proto"}, 2, nil, []string{`proto file "gone.proto" not found; tried gone.proto`}},
		{"HTTP has no reflection", []string{"list", "http://" + s.address}, 2, nil, []string{"which has no reflection", "grpc://"}},
		{"a server without reflection", []string{"list", "grpc://" + bare.address}, 3, nil,
			[]string{"the server has no reflection (tried v1 and v1alpha; it answered UNIMPLEMENTED", "--proto FILE"}},
		{"a method, by the name grpcurl prints", []string{"describe", target, "t.Svc.Check"}, 0,
			[]string{"t.Svc.Check is a method:\n", "rpc Check(t.Q) returns (t.Q);", "  string sku = 1;", "Message template (t.Q):\n{\n  \"sku\": \"\",\n"}, nil},
		{"a method in the URL", []string{"describe", target + "/t.Svc/Check"}, 0, []string{"t.Svc.Check is a method:\n"}, nil},
		{"a message", []string{"describe", target, "t.M"}, 0, []string{"t.M is a message:\n", "map<int64, string> k = 10;", "oneof o {"}, nil},
		{"everything", []string{"describe", target}, 0, []string{"t.Svc is a service:\n"}, nil},
		{"a message of a file", []string{"describe", "--proto", proto, "t.M"}, 0, []string{"t.M is a message:\n"}, nil},
		{"a symbol that is not there", []string{"describe", target, "t.Zzzz"}, 2, nil, []string{`no symbol "t.Zzzz" on ` + target, `NOT_FOUND`}},
		{"nothing to describe", []string{"describe"}, 2, nil, []string{"describe needs a target or a contract"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, c.args...)
			if got.code != c.code || c.code == 0 && got.stderr != "" || c.code != 0 && got.stdout != "" {
				t.Errorf("exit %d, want %d\n%s\n%s", got.code, c.code, got.stdout, got.stderr)
			}
			for _, w := range c.stdout {
				if !strings.Contains(got.stdout, w) {
					t.Errorf("standard output lacks %q:\n%s", w, got.stdout)
				}
			}
			for _, w := range c.stderr {
				if !strings.Contains(got.stderr, w) {
					t.Errorf("standard error lacks %q:\n%s", w, got.stderr)
				}
			}
		})
	}
}

// A template that describe prints can be sent as it is.
func TestTheTemplateCanBeSent(t *testing.T) {
	s := startSvc(t, true)
	text := invoke(t, "describe", "grpc://"+s.address, "t.Svc.Echo").stdout
	_, template, ok := strings.Cut(text, "Message template (t.M):\n")
	if !ok {
		t.Fatal(text)
	}
	if got := invoke(t, "call", "grpc://"+s.address+"/t.Svc/Echo", "-d", template); got.code != 0 {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}

// What users of curl and grpcurl type works elsewhere in these tests, or is refused with the word to use; what later
// versions bring is never unknown.
func TestCallWords(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"-L", []string{"http://127.0.0.1:1/", "-L"}, []string{"A redirect is an answer here"}},
		{"--location", []string{"http://127.0.0.1:1/", "--location"}, []string{"A redirect is an answer here"}},
		{"-m with a method", []string{"http://127.0.0.1:1/", "-m", "POST"}, []string{`--metadata wants a JSON object, got "POST".  For the HTTP method use -X POST.`}},
		{"-m with a number", []string{"http://127.0.0.1:1/", "-m", "5"}, []string{"-t 5"}},
		{"rsocket", []string{"rsocket://127.0.0.1:1/a"}, []string{"write rsocket+tcp://127.0.0.1:1/a or rsocket+ws://"}},
		{"http3", []string{"h3://127.0.0.1:1/a"}, []string{"not in this version"}},
		{"connect", []string{"connect://127.0.0.1:1/a.B/C"}, []string{"not in this version"}},
		{"dubbo", []string{"dubbo://127.0.0.1:1/a.B/c"}, []string{"not in this version"}},
		{"--route", []string{"tcp://127.0.0.1:1", "--route", "x"}, []string{"write rsocket+tcp://127.0.0.1:1"}},
		{"--codec hessian", []string{"http://127.0.0.1:1/", "--proto", protoFile(t), "--call", "t.Svc/Echo", "--codec", "hessian"}, []string{"not in this version"}},
		{"a scheme with a letter missing", []string{"grp://127.0.0.1:1/a.B/C"}, []string{"did you mean grpc://"}},
		{"a flag with a letter missing", []string{"grpc://127.0.0.1:1/a.B/C", "--emit-default"}, []string{"did you mean --emit-defaults ?"}},
		{"one dash, as grpcurl has it", []string{"-plaintext", "127.0.0.1:1", "a.B/C"}, []string{"--plaintext"}},
		{"--max-msg-sz", []string{"grpc://127.0.0.1:1/a.B/C", "--max-msg-sz", "5"}, []string{"--max-reply"}},
		{"no target", nil, []string{"call needs a target"}},
		{"too many words", []string{"a", "b", "c"}, []string{"call makes one call"}},
		{"two URLs", []string{"http://127.0.0.1:1/", "http://127.0.0.1:2/"}, []string{"call makes one call"}},
		{"no method", []string{"grpc://127.0.0.1:1"}, []string{"names no method"}},
		{"an output for reports", []string{"http://127.0.0.1:1/", "-o", "json=x.json"}, []string{"a file for the body"}},
		{"--take 0", []string{"http://127.0.0.1:1/", "--take", "0"}, []string{"--take"}},
		{"data twice", []string{"http://127.0.0.1:1/", "-d", "a", "--data-raw", "b"}, []string{"give the data once"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, append([]string{"call"}, c.args...)...)
			if got.code != 2 || got.stdout != "" {
				t.Errorf("exit %d, want 2; standard output %q", got.code, got.stdout)
			}
			for _, w := range c.want {
				if !strings.Contains(got.stderr, w) {
					t.Errorf("standard error lacks %q:\n%s", w, got.stderr)
				}
			}
			if strings.Contains(got.stderr, "unknown") && strings.Contains(strings.Join(c.want, ""), "version") {
				t.Errorf("unknown: %s", got.stderr)
			}
		})
	}
}
