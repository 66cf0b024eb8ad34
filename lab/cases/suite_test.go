package cases

import (
	"fmt"
	"testing"

	"wiregauge/lab/casesvc"
)

// K14: unknown keys of a configuration: exit 2 before anything is sent; every one is named with its place, and for n
// the key total is suggested.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	s := svc(t, casesvc.Options{})
	url := s.URL("grpc", "Echo")
	for _, c := range []struct {
		name, file, text string
		words            []string
	}{
		{"JSON", "suite.json", `{"n":7,"typo_key":1,"total":1,"targets":{"a":{"url":"` + url + `"}}}`,
			[]string{`suite.json:1:2: unknown key "n" - did you mean "total"?`, `suite.json:1:8: unknown key "typo_key"`}},
		{"JSON without targets", "suite.json", `{"n":7,"typo_key":1,"total":1}`,
			[]string{`suite.json:1:2: unknown key "n" - did you mean "total"?`, `suite.json:1:8: unknown key "typo_key"`}},
		{"YAML", "suite.yaml", "n: 7\ntypo_key: 1\ntotal: 1\ntargets:\n  a:\n    url: " + url + "\n",
			[]string{`suite.yaml:1:1: unknown key "n" - did you mean "total"?`, `suite.yaml:2:1: unknown key "typo_key"`}},
		{"in the load", "suite.yaml", "load:\n  concurency: 7\n  n: 1\ntargets:\n  a:\n    url: " + url + "\n",
			[]string{`suite.yaml:2:3: unknown key "concurency" - did you mean "concurrency"?`, `suite.yaml:3:3: unknown key "n" - did you mean "total"?`}},
		{"in a target", "suite.yaml", "total: 1\ntargets:\n  a:\n    url: " + url + "\n    conections: 4\n",
			[]string{`suite.yaml:5:5: unknown key "conections" - did you mean "connections"?`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := written(t, c.file, c.text)
			for _, args := range [][]string{
				{"run", "-f", path}, {"run", "-f", path, url}, {"compare", "-f", path}, {"compare", "-f", path, "b=" + url},
				{"run", "-f", path, "-n", "1", url, "--dry-run"},
			} {
				got := wg(t, "", args...)
				if got.code != exitUsage || got.stdout != "" || s.Calls("Echo") != 0 {
					t.Errorf("%q: exit %d, %d calls\n%s", args, got.code, s.Calls("Echo"), got.stdout)
				}
				says(t, got.stderr, c.words...)
			}
		})
	}
	t.Run("the same without them is carried out", func(t *testing.T) {
		path := written(t, "suite.json", fmt.Sprintf(`{"total":7,"concurrency":2,"data":"{\"id\":1}","targets":{"a":{"url":%q}}}`, url))
		s.Reset()
		exactly(t, measure(t, exitOK, "run", "-f", path), s.Calls("Echo"), 7)
	})
}
