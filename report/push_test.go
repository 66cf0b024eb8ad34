package report

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// A receiver takes what is pushed, answers, and remembers.
type receiver struct {
	path, media, token string
	body               []byte
	status             int
	answer             []byte
	answerType         string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.path, r.media, r.token = q.URL.Path, q.Header.Get("Content-Type"), q.Header.Get("Authorization")
	r.body, _ = io.ReadAll(q.Body)
	w.Header().Set("Content-Type", r.answerType)
	w.WriteHeader(r.status)
	_, _ = w.Write(r.answer)
}

func push(t *testing.T, r *receiver, format, path string) error {
	t.Helper()
	server := httptest.NewServer(r)
	defer server.Close()
	outs, err := ParseOutputs([]string{format + "=" + server.URL + path})
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckAll(outs); err != nil {
		t.Fatal(err)
	}
	opt := Options{Headers: map[string]map[string]string{format: {"Authorization": "Token t"}}}
	return WriteAll(outs, io.Discard, []*result.File{sample.Half()}, opt)
}

func TestACollectorTakesOTLP(t *testing.T) {
	r := &receiver{status: 200}
	if err := push(t, r, "otlp", ""); err != nil {
		t.Fatal(err)
	}
	var request collector.ExportMetricsServiceRequest
	if err := proto.Unmarshal(r.body, &request); err != nil || len(request.ResourceMetrics) != 1 {
		t.Fatalf("%v, %d resources", err, len(request.ResourceMetrics))
	}
	if r.path != "/v1/metrics" || r.media != "application/x-protobuf" || r.token != "Token t" {
		t.Errorf("it came to %s as %s with %q", r.path, r.media, r.token)
	}
}

func TestLineProtocolAndPrometheusTextAreSent(t *testing.T) {
	r := &receiver{status: 204}
	if err := push(t, r, "influx", "/api/v2/write?bucket=b"); err != nil || r.path != "/api/v2/write" {
		t.Errorf("%v, to %s", err, r.path)
	}
	if lines := readInflux(t, r.body); len(lines) != 2 {
		t.Errorf("%d points", len(lines))
	}
	if err := push(t, r, "prom", "/metrics/job/wiregauge"); err != nil || r.path != "/metrics/job/wiregauge" {
		t.Errorf("%v, to %s", err, r.path)
	}
	readProm(t, r.body)
}

func TestWhatIsNotTakenIsSaid(t *testing.T) {
	some, err := proto.Marshal(&collector.ExportMetricsServiceResponse{
		PartialSuccess: &collector.ExportMetricsPartialSuccess{RejectedDataPoints: 3, ErrorMessage: "too old"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		receiver receiver
		want     string
	}{
		"refused":             {receiver{status: 401, answer: []byte("no such token")}, "401 Unauthorized: \"no such token\""},
		"sent somewhere else": {receiver{status: 302}, "302 Found"},
		"taken in part":       {receiver{status: 200, answer: some, answerType: "application/x-protobuf"}, "3 data points were not taken: too old"},
	} {
		err := push(t, &c.receiver, "otlp", "/x?token=secret")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q and no secret", name, err, c.want)
		}
	}
}

func TestURLsAreCheckedBeforeTheLoad(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for spec, want := range map[string]string{
		"otlp=" + gone.URL:    "nobody takes it there",
		"json=" + gone.URL:    "json goes to files; prom, influx, otlp can be sent to a URL",
		"otlp=http://":        "no URL",
		"otlp=http://a b/?p=": "no URL",
	} {
		outs, err := ParseOutputs([]string{spec})
		if err == nil {
			err = CheckAll(outs)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}
