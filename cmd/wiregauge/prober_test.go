package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"wiregauge/internal/option"
)

// readied is an arm that is ready to be called.
func readied(t *testing.T, url string, args ...string) *readyArm {
	t.Helper()
	o := &runOptions{}
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	set := option.Bind(fs, o)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	o.stream = o.Take > 0
	app := newApp(strings.NewReader(""), new(strings.Builder), new(strings.Builder), func(string) (string, bool) { return "", false })
	r := &readyArm{url: url}
	var err error
	if r.target, r.sent, err = app.prepare(t.Context(), url, &o.ConnOptions, &o.DataOptions, 0); err != nil {
		t.Fatal(err)
	}
	if r.plan, err = newPlan(&o.LoadOptions, set, r.target, r.sent); err != nil {
		t.Fatal(err)
	}
	return r
}

// asked makes one call as the fair test does.
func asked(t *testing.T, r *readyArm, take int) *answer {
	t.Helper()
	x, info, err := r.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	a, err := r.ask(t.Context(), x, take)
	if err != nil {
		t.Fatal(err)
	}
	if sent, received := x.carried(); sent <= 0 || received <= 0 || info.Address == "" {
		t.Errorf("%d bytes sent, %d received, to %q", sent, received, info.Address)
	}
	return a
}

// The calls of the fair test are made by the client that the arm is measured with.
func TestFairTestUsesTheArmsClient(t *testing.T) {
	s := startSvc(t, true)
	for client, library := range map[string]bool{"wire": false, "stack": true} {
		a := asked(t, readied(t, "grpc://"+s.address+"/t.Svc/Echo", "-d", `{"id":7}`, "--client", client), 0)
		if len(a.messages) != 1 || string(a.messages[0]) != "\x08\x07" {
			t.Errorf("%s: %q", client, a.messages)
		}
		s.mu.Lock()
		agent := strings.Join(s.metadata.Get("user-agent"), " ")
		s.mu.Unlock()
		if strings.Contains(agent, "grpc-go") != library {
			t.Errorf("%s: the call came from %q", client, agent)
		}
	}
}

// Of a stream that is cut short exactly as many messages are compared as were asked for, and each one is looked at.
func TestFairTestOfAStream(t *testing.T) {
	s := startSvc(t, true)
	url := "grpc://" + s.address + "/t.Svc/Endless"
	for _, client := range []string{"wire", "stack"} {
		for expected, failure := range map[string]string{`"id":"`: "", `"id":"2"`: "what --expect does not"} {
			r := readied(t, url, "--take", "3", "--client", client, "--expect", "body contains "+expected)
			a := asked(t, r, 3)
			if len(a.messages) != 3 || !a.taken || r.failure(a) != "" {
				t.Errorf("%s: %d messages, taken %v, failure %q", client, len(a.messages), a.taken, r.failure(a))
			}
			r = readied(t, "grpc://"+s.address+"/t.Svc/Stream", "--client", client, "--expect", "body contains "+expected)
			if a := asked(t, r, 0); len(a.messages) != 10 || r.failure(a) != failure {
				t.Errorf("%s: %d messages, failure %q, want %q", client, len(a.messages), r.failure(a), failure)
			}
		}
	}
}
