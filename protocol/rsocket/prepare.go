package rsocket

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/rsocket/metadata"
)

// Prepare turns what a user asked for into a request. The route is in.Procedure, else route= of the query, else the
// path; a leading slash is no part of it. Header fields are entries of composite metadata, each named by its MIME type.
// A one-way call without any body is a METADATA_PUSH: fire-and-forget with nothing to say has one empty body.
func Prepare(in protocol.Input) (*wiregauge.Request, error) {
	if in.Compress != "" && in.Compress != "identity" {
		return nil, fmt.Errorf("RSocket has no compression; leave %q out", in.Compress)
	}
	route, err := routeOf(in)
	if err != nil {
		return nil, err
	}
	r := &wiregauge.Request{Method: route, Shape: in.Shape, Messages: in.Bodies}
	for _, f := range in.Header {
		if err := checkEntry(f); err != nil {
			return nil, err
		}
		r.Header = append(r.Header, f)
	}
	if _, err := Metadata("", r); err != nil {
		return nil, err
	}
	switch n := len(in.Bodies); {
	case in.Shape.StreamsOut():
	case n > 1:
		return nil, fmt.Errorf("%d messages for a %s call: expected one", n, in.Shape)
	case n == 0 && (in.Shape != wiregauge.OneWay || in.HasBody):
		r.Messages = noMessage
	}
	return r, nil
}

// routeOf finds the route.
func routeOf(in protocol.Input) (string, error) {
	if in.Procedure != "" {
		return strings.TrimPrefix(in.Procedure, "/"), nil
	}
	path, query, _ := strings.Cut(in.Path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", fmt.Errorf("query %q: %w", query, err)
	}
	if values.Has("route") {
		return values.Get("route"), nil
	}
	route, err := url.PathUnescape(strings.TrimPrefix(path, "/"))
	if err != nil {
		return "", fmt.Errorf("route %q: %w", path, err)
	}
	return route, nil
}

// checkEntry refuses header fields as HTTP has them: metadata is named by MIME types.
func checkEntry(f wiregauge.Field) error {
	switch {
	case strings.EqualFold(f.Name, "authorization"):
		return errors.New("header \"authorization\": RSocket has an entry for it: write --auth simple:USER:PASS or --auth bearer:TOKEN")
	case !strings.Contains(f.Name, "/") || strings.ContainsAny(f.Name, " \t"):
		return fmt.Errorf("header %q: metadata of RSocket is named by a MIME type: write -H 'text/plain: value'", f.Name)
	}
	return nil
}

// Authentication is the metadata entry of "simple:USER:PASSWORD" or "bearer:TOKEN" (RSocket extension
// "Authentication").
func Authentication(spec string) (wiregauge.Field, error) {
	f := wiregauge.Field{Name: metadata.Authentication, Sensitive: true}
	kind, rest, _ := strings.Cut(spec, ":")
	switch kind {
	case "bearer":
		if rest == "" {
			return f, errors.New("authentication \"bearer\" without a token: write bearer:TOKEN")
		}
		f.Value = string(metadata.Bearer(rest))
		return f, nil
	case "simple":
		user, password, ok := strings.Cut(rest, ":")
		if !ok {
			return f, errors.New("authentication \"simple\" without a password: write simple:USER:PASSWORD")
		}
		p, err := metadata.Simple(user, password)
		f.Value = string(p)
		return f, err
	}
	return f, fmt.Errorf("authentication of kind %q is not known: write simple:USER:PASSWORD or bearer:TOKEN", kind)
}
