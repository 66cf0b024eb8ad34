package cases

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiregauge/lab/casesvc"
)

// K10: the per-call CSV of 4 calls to Half is RFC 4180: the header first, 4 records after it for a CSV parser, the error
// text back exactly.
func TestCSVPerCall(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		path := filepath.Join(t.TempDir(), "calls.csv")
		got := wg(t, "", "run", s.URL(w.scheme, "Half"), "-d", `{"id":1}`, "-n", "4", "-c", "1", "--client", w.client, "-o", "raw="+path)
		if got.code != exitErrors {
			t.Fatalf("exit %d\n%s", got.code, got.stderr)
		}
		text := read(t, path)
		all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(all) != 5 {
			t.Fatalf("%d records (%v), want a header and 4\n%s", len(all), err, text)
		}
		if head := strings.Join(all[0], ","); head != "call,step,due_ns,latency_ns,service_ns,outcome,status,error_class,error_text" || !strings.HasPrefix(text, head+"\r\n") {
			t.Errorf("header %q", head)
		}
		for i, r := range all[1:] {
			want := []string{fmt.Sprint(i), "0", "ok", status(w.scheme, true), "", ""}
			if i%2 == 1 {
				want = []string{fmt.Sprint(i), "0", "failed", status(w.scheme, false), class(w.scheme), casesvc.FailureText}
			}
			if have := append(append([]string{}, r[:2]...), r[5:]...); !slices.Equal(have, want) {
				t.Errorf("record %d is %q, want %q", i+1, r, want)
			}
			latency, err := strconv.ParseInt(r[3], 10, 64)
			if err != nil || i%2 == 1 && latency < int64(200*time.Millisecond) {
				t.Errorf("record %d has a latency of %s ns; the server waits 200 ms before each failure", i+1, r[3])
			}
		}
		if strings.Count(text, `,"bad, ""quoted""`+"\nsecond line\"\r\n") != 2 {
			t.Errorf("the error text is not there twice, to the byte:\n%q", text)
		}
	})
}

// status is the protocol's own, of a good answer or of a failure of t.Svc.
func status(scheme string, ok bool) string {
	switch {
	case scheme == "grpc" && ok:
		return "0"
	case scheme == "grpc":
		return "13"
	case ok:
		return "200"
	}
	return "500"
}

// K10: the CSV of the results of 4 calls to Half is RFC 4180: the header comes first, a CSV parser finds as many records as there are,
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
			says(t, strings.NewReplacer("&#34;", `"`, "&quot;", `"`).Replace(got.formats[format]), `bad, "quoted"`)
		}
	})
}
