package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wiregauge/contract"
)

// contractSource is where the contract comes from; ok is false when none is needed.
func contractSource(p *prepared, o *DataOptions) (s contract.Source, ok bool, err error) {
	s = contract.Source{ImportPaths: o.Import, Protosets: o.Protoset}
	for _, f := range o.Proto {
		if strings.HasSuffix(f, ".protoset") || strings.HasSuffix(f, ".pb") || strings.HasSuffix(f, ".bin") {
			s.Protosets = append(s.Protosets, f)
			continue
		}
		s.Files = append(s.Files, f)
	}
	if len(s.Files) > 0 || len(s.Protosets) > 0 {
		if o.Reflect {
			return s, false, usage("--reflect and --proto or --protoset exclude one another")
		}
		return s, true, nil
	}
	grpc := p.Protocol.Name == "grpc"
	if o.Reflect && !grpc {
		return s, false, usage("--reflect asks a gRPC server, and %s is %s: give --proto FILE", p.Raw, p.Protocol.Title)
	}
	if !grpc || o.Binary != "" && !o.Reflect {
		return s, false, nil
	}
	s.Reflect = &contract.Reflection{
		Address: p.Address, Network: p.Network, TLS: p.Dialer.TLS, Authority: p.Options.Authority,
		Dial: p.Dialer.DialNet, Timeout: p.Dialer.Timeout,
	}
	if s.Reflect.Header, err = headers(p, o); err != nil {
		return s, false, err
	}
	return s, true, nil
}

// contractError puts a contract that does not help into words.
func contractError(ctx context.Context, p *prepared, err error) error {
	var reflection *contract.ReflectionError
	var unknown *contract.UnknownError
	switch {
	case errors.As(err, &reflection) && reflection.Unreachable:
		return p.explain(ctx, errors.New(reflection.Text))
	case errors.As(err, &reflection) && strings.Contains(reflection.Text, "unexpected HTTP status"):
		return unreachable("the server speaks HTTP/2, but not gRPC: %s", strings.SplitN(reflection.Text, ";", 2)[0]).
			with("target", p.Raw).with("try", p.retry(map[bool]string{true: "h2", false: "h2c"}[p.Scheme.TLS]))
	case errors.As(err, &reflection):
		return unreachable("%s: %w", p.Raw, err)
	case errors.As(err, &unknown):
		e := unknownSymbol(p, unknown)
		for _, answer := range unknown.Answers {
			e.with("asked", answer)
		}
		return e
	}
	return usage("%w", err)
}

// unknownSymbol is a service or method that is not there, with what is.
func unknownSymbol(p *prepared, u *contract.UnknownError) *exitError {
	where := ""
	if u.In != "" {
		where = " in service " + u.In
	}
	if strings.HasPrefix(u.Origin, "reflection") {
		where += fmt.Sprintf(" on %s://%s", p.Scheme.Name, p.Authority)
	}
	if u.Undescribed() {
		return usage("%s %q%s is listed by reflection, but not described", u.Kind, u.Name, where).with("try", "--proto FILE or --protoset FILE")
	}
	e := usage("no %s %q%s       %s", u.Kind, u.Name, where, u.Lists())
	if u.Nearest == "" {
		return e
	}
	meant := strings.Replace(p.Raw, u.Name, u.Nearest, 1)
	if meant == p.Raw {
		meant = u.Nearest
	}
	return e.with("did you mean", meant+" ?")
}

// wholeService is the error for a name that is a service's and not a method's, with its methods; nil when it is none.
func wholeService(p *prepared, c *contract.Contract, name string) error {
	service := strings.ReplaceAll(strings.Trim(name, "/"), "/", ".")
	methods, err := c.Methods(service)
	if err != nil || len(methods) == 0 {
		return nil
	}
	var names []string
	for _, m := range methods {
		names = append(names, m.FullName[strings.LastIndexByte(m.FullName, '/')+1:])
	}
	return usage("%s is a service, and a call wants one of its methods", service).with("methods", strings.Join(names, ", ")).
		with("try", fmt.Sprintf("wiregauge %s %s://%s/%s/%s", p.command, p.Scheme.Name, p.Authority, service, names[0]))
}
