package report

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"wiregauge/report/otlp"
	"wiregauge/result"
)

// How long a receiver may take to be reached, and to take a result.
const (
	reachWithin = 3 * time.Second
	pushWithin  = 30 * time.Second
)

// writeOTLP is OpenTelemetry's protocol in protobuf, as a file or, to a URL, as a push.
func writeOTLP(w io.Writer, files []*result.File, _ Options) error {
	packed, err := otlp.Encode(files)
	if err != nil {
		return err
	}
	_, err = w.Write(packed)
	return err
}

// pushed reports whether the output goes to a URL.
func (o Output) pushed() bool {
	return strings.HasPrefix(o.Path, "http://") || strings.HasPrefix(o.Path, "https://")
}

// Place is where the output goes, without what may be secret in a URL.
func (o Output) Place() string {
	if !o.pushed() {
		return o.Path
	}
	u, err := url.Parse(o.Path)
	if err != nil {
		return "a URL that cannot be read"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// target is the URL that the result is sent to.
func (o Output) target() (*url.URL, error) {
	u, err := url.Parse(o.Path)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("output %s=%s: no URL; write %s=http://HOST:PORT/PATH", o.Format, o.Place(), o.Format)
	}
	if o.media() == "" {
		return nil, fmt.Errorf("output %s=%s: %s goes to files; %s can be sent to a URL", o.Format, o.Place(), o.Format, strings.Join(sendable(), ", "))
	}
	if o.Format == "otlp" && strings.Trim(u.Path, "/") == "" {
		u.Path = otlp.Path
	}
	return u, nil
}

func (o Output) media() string {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == o.Format })
	if i < 0 {
		return ""
	}
	return formats[i].media
}

func sendable() []string {
	var names []string
	for _, f := range formats {
		if f.media != "" {
			names = append(names, f.name)
		}
	}
	return names
}

// checkPush says whether anybody listens where the result will be sent.
func (o Output) checkPush() error {
	u, err := o.target()
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(u.Hostname(), port), reachWithin)
	if err != nil {
		return fmt.Errorf("output %s=%s: nobody takes it there: %w", o.Format, o.Place(), err)
	}
	return conn.Close()
}

// push sends text in one POST. Redirects are not followed: they would lose the body.
func (o Output) push(text []byte, header map[string]string) error {
	u, err := o.target()
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, u.String(), bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("output %s=%s: %w", o.Format, o.Place(), err)
	}
	request.Header.Set("Content-Type", o.media())
	for name, value := range header {
		request.Header.Set(name, value)
	}
	client := http.Client{Timeout: pushWithin, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("output %s=%s: %w", o.Format, o.Place(), cause(err))
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("output %s=%s: its answer: %w", o.Format, o.Place(), err)
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("output %s=%s: it was not taken: %s: %.200q", o.Format, o.Place(), answer.Status, said)
	}
	if o.Format == "otlp" && strings.HasPrefix(answer.Header.Get("Content-Type"), otlp.ContentType) {
		if why := otlp.Rejected(said); why != "" {
			return fmt.Errorf("output %s=%s: %s", o.Format, o.Place(), why)
		}
	}
	return nil
}

// cause is what went wrong, without the URL that net/http puts before it.
func cause(err error) error {
	if wrapped, ok := err.(*url.Error); ok {
		return wrapped.Err
	}
	return err
}
