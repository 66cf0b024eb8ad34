package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wiregauge/internal/nearest"
)

// laterFlags belong to later versions: known, and refused as such.
var laterFlags = map[string]bool{
	"net": true, "feed": true,
	"agents": true, "agents-timeout": true, "min-agents": true,
	"on-agent-loss": true, "orphan-timeout": true, "closed": true,
	"encode": true, "include-errors": true, "redact": true, "allow-run": true, "types": true, "scale": true, "need": true, "details": true, "duet": true,
	"interleave": true, "http3": true, "send-rate": true,
}

// untilThen says what there is already of what a later flag is for.
var untilThen = map[string]string{
	"include-errors": "failed calls have a latency table of their own, beside that of the others",
	"closed":         "without --rate -c callers each wait for their answer, and --think is their pause",
	"redact":         "authorization, cookies, passwords in URLs and names with token or secret are left out of commands and results",
}

// foreignFlags are words of other tools that mean something else here.
var foreignFlags = map[string]string{
	"debug":                 "Use -vv for every frame.",
	"load":                  "Data is read from a file by -d @FILE.",
	"max-msg-sz":            "The largest message that is accepted is set with --max-reply SIZE.",
	"rpc-header":            "Metadata is written -H 'name: value'.",
	"reflect-header":        "Metadata is written -H 'name: value'; reflection gets it too.",
	"use-reflection":        "Reflection is used unless --proto or --protoset is given.",
	"msg-template":          "`wiregauge describe` prints a template of the message.",
	"format":                "Messages are JSON; --binary FILE takes an encoded one.",
	"unix":                  "A socket is written grpc+unix:///path.sock, or --unix-socket PATH beside a URL.",
	"insecure-skip-verify":  "That is -k, --insecure.",
	"http2-prior-knowledge": "The scheme says it: h2c:// is HTTP/2 without TLS.",
	"tls":                   "The scheme says it: https://, h2://, grpcs:// and tls:// are TLS.",
	"out":                   "Outputs are written -o FORMAT=PATH.",
	"count-errors":          "Failed calls have a latency table of their own, always.",
	"skipFirst":             "Calls before measuring are --warmup N, on top of -n.",
	"connect-to":            "Write --resolve HOST:PORT:ADDRESS.",
	"location":              "A redirect is an answer here; call the URL it names.",
	"L":                     "A redirect is an answer here; call the URL it names.",
	"dump-header":           "Use -v for the headers of the answer.",
	"cpus":                  "Set GOMAXPROCS.",
	"threads":               "wrk's threads are not needed: say how many calls are in flight with -c.",
	"vus":                   "k6's virtual users are calls in flight here: -c.",
	"concurrency-start":     "Ramps are written --ramp 1..500x2/10s.",
	"load-start":            "Ramps are written --ramp rate=0..1000/30s.",
	"rps":                   "ghz's --rps is --rate here.",
	"disable-keepalive":     "Write --no-keepalive.",
	"disable-redirects":     "Redirects are never followed here; leave it out.",
	"disable-compression":   "Answers are compressed only when --compressed asks for it; leave it out.",
	"b":                     "An encoded message is read from a file by --binary FILE.",
	"B":                     "An encoded message is read from a file by --binary FILE.",
	"O":                     "Outputs are written -o FORMAT=PATH.",
	"color":                 "Nothing is coloured here; leave it out.",
	"no-color":              "Nothing is coloured here; leave it out.",
	"progress":              "Nothing is drawn here; leave it out.",
	"i":                     "The headers of the answer are shown by `wiregauge call -v`; import paths are -I.",
}

// flagError puts a mistake in the flags into words, with what to type instead.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		return usage("--%s wants a value", missing.GetFlag().Name).with("try", "wiregauge "+cmd.Name()+" -h")
	case errors.As(err, &invalid):
		name := invalid.GetFlag().Name
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		return usage("%s%s %w", dashes, name, invalid.Unwrap())
	}
	return usage("%w", err)
}

func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name := unknown.GetSpecifiedName()
	dashes := "--"
	if unknown.GetSpecifiedShortnames() != "" {
		dashes = "-"
	}
	if laterFlags[name] {
		return later(dashes+name).with("note", untilThen[name])
	}
	// ghz and old Go tools write long names after one dash: -insecure arrives as the shorthands "insecure".
	if whole := strings.SplitN(unknown.GetSpecifiedShortnames(), "=", 2)[0]; len(whole) > 1 {
		if cmd.Flags().Lookup(whole) != nil {
			return usage("unknown flag -%s of `wiregauge %s`", whole, cmd.Name()).with("did you mean", "--"+whole+" ?")
		}
	}
	e := usage("unknown flag %s%s of `wiregauge %s`", dashes, name, cmd.Name())
	if hint := foreignFlags[name]; hint != "" {
		return e.with("try", hint)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if len(f.Name) > 1 {
			known = append(known, f.Name)
		}
	})
	if other := commandWith(cmd, name); other != "" {
		return e.with("note", "--"+name+" is a flag of `wiregauge "+other+"`")
	}
	if near := nearest.Of(name, known); near != "" && len(name) > 1 {
		return e.with("did you mean", "--"+near+" ?")
	}
	return e.with("try", "wiregauge "+cmd.Name()+" -h")
}

// commandWith is another command that has this flag, "" when none has.
func commandWith(cmd *cobra.Command, name string) string {
	if len(name) < 2 {
		return ""
	}
	for _, other := range cmd.Root().Commands() {
		if other != cmd && other.Flags().Lookup(name) != nil {
			return other.Name()
		}
	}
	return ""
}
