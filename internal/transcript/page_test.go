package transcript

import (
	"reflect"
	"strings"
	"testing"
)

const sample = "# A page\n" +
	"\n" +
	"```\n" +
	"$ wiregauge serve --port 18080 &\n" +
	"http://127.0.0.1:18080/\n" +
	"$ wiregauge run \\\n" +
	"    http://localhost:18080/\n" +
	"No errors.\n" +
	"\n" +
	"```\n" +
	"Save as `suite.yaml`:\n" +
	"```yaml suite.yaml\n" +
	"total: 3\n" +
	"```\n" +
	"~~~~sh\n" +
	"$ wiregauge list\n" +
	"~~~~\n"

func TestParseReadsSessionsAndFiles(t *testing.T) {
	p, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	want := []Item{
		{Line: 3, Steps: []Step{
			{Line: 4, Command: "wiregauge serve --port 18080", Background: true, Output: "http://127.0.0.1:18080/", from: 4, to: 5},
			{Line: 6, Command: "wiregauge run http://localhost:18080/", Output: "No errors.\n", from: 7, to: 9},
		}},
		{Line: 12, Name: "suite.yaml", Text: "total: 3\n"},
		{Line: 15, Steps: []Step{{Line: 16, Command: "wiregauge list", from: 16, to: 16}}},
	}
	if !reflect.DeepEqual(p.Items, want) {
		t.Errorf("got  %+v\nwant %+v", p.Items, want)
	}
	if p.Stray != nil {
		t.Errorf("stray commands in lines %d", p.Stray)
	}
}

func TestParseFindsCommandsThatNobodyRuns(t *testing.T) {
	for name, text := range map[string]string{
		"indented code":                    "a\n\n    $ wiregauge list\n",
		"a quotation":                      "> $ wiregauge list\n",
		"plain text":                       "$ wiregauge list\n",
		"a block that begins otherwise":    "```\n# first\n$ wiregauge list\n```\n",
		"a block within a list":            "- so\n\n      ```\n      $ wiregauge list\n      ```\n",
		"a block that begins with a space": "```\n $ wiregauge list\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Stray) != 1 || len(p.Items) != 0 {
				t.Errorf("stray %d, items %+v", p.Stray, p.Items)
			}
		})
	}
}

func TestParseRefusesABlockThatIsNotClosed(t *testing.T) {
	if _, err := Parse("a\n````\n$ wiregauge list\n```\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v", err)
	}
}

func TestRewriteChangesOutputsOnly(t *testing.T) {
	p, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	steps := append(p.Items[0].Steps, p.Items[2].Steps...)
	got := p.Rewrite(steps, []string{"a\nb\n", "", "c"})
	want := strings.Replace(sample, "http://127.0.0.1:18080/\n", "a\nb\n", 1)
	want = strings.Replace(want, "No errors.\n\n", "", 1)
	want = strings.Replace(want, "$ wiregauge list\n", "$ wiregauge list\nc\n", 1)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBlockFindsASessionOfAnotherProgram(t *testing.T) {
	p, err := Parse("text\n$ go run . demo\n```\n$ go run . demo\nHello\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := p.Block("go run . demo"); !ok || s.Line != 4 || s.Output != "Hello" {
		t.Errorf("got %+v, %v", s, ok)
	}
	if _, ok := p.Block("go run ."); ok {
		t.Error("found a command that is not there")
	}
}
