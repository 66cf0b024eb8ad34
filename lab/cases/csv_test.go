package cases

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"wiregauge/lab/casesvc"
)

// K10: the CSV of 4 calls to Half is RFC 4180: the header comes first, a CSV parser finds as many records as there are,
// and the error text comes back exactly.
func TestCSV(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		got := measure(t, exitErrors, "run", s.URL(w.scheme, "Half"), "-d", `{"id":1}`, "-n", "4", "-c", "1", "--client", w.client)
		text := got.formats["csv"]
		if !strings.HasPrefix(text, "id,kind,") || !strings.HasSuffix(text, "\r\n") || strings.Contains(text, "\r\n\r\n") {
			t.Errorf("header, line ends:\n%q", text)
		}
		all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(all) != 3 {
			t.Fatalf("%d records (%v), want a header, an arm and a class of errors\n%s", len(all), err, text)
		}
		if arms := got.records(t, "arm"); len(arms) != 1 || arms[0]["ok"] != "2" || arms[0]["failed"] != "2" {
			t.Errorf("arms %v", arms)
		}
		if e := got.records(t, "error"); len(e) != 1 || e[0]["error_text"] != casesvc.FailureText || e[0]["error_count"] != "2" {
			t.Errorf("errors %q", e)
		}
		if quoted := `"bad, ""quoted""` + "\nsecond line\""; !bytes.Contains([]byte(text), []byte(","+quoted+",")) {
			t.Errorf("no field %s, to the byte, in\n%q", quoted, text)
		}
		if e := got.arm().Errors[0]; e.Message != casesvc.FailureText {
			t.Errorf("JSON tells %q", e.Message)
		}
		for _, format := range tableFormats {
			says(t, strings.NewReplacer("&#34;", `"`, "&quot;", `"`).Replace(got.formats[format]), fmt.Sprint(`bad, "quoted"`))
		}
	})
}
