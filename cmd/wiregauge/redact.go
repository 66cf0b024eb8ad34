package main

import (
	"net/url"
	"regexp"
	"strings"
)

// hidden stands where a secret was.
const hidden = "***"

// secretName is what names of secrets look like.
var secretName = regexp.MustCompile(`(?i)(authorization|cookie|token|secret|password|api-?key)`)

var metadataPair = regexp.MustCompile(`("(?:[^"\\]|\\.)*")(\s*:\s*)"(?:[^"\\]|\\.)*"`)

// redact is a command line without its secrets: what -u and secret headers, metadata and URLs hold.
func redact(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		before := ""
		if i > 0 {
			before = args[i-1]
		}
		out[i] = redactArgument(before, arg)
	}
	return out
}

func redactArgument(before, arg string) string {
	flag, value, joined := strings.Cut(arg, "=")
	if !strings.HasPrefix(arg, "-") || !joined {
		flag, value = before, arg
	}
	prefix := strings.TrimSuffix(arg, value)
	switch flag {
	case "-u", "--user":
		return prefix + hidden
	case "-H", "--header":
		return prefix + redactHeader(value)
	case "-m", "--metadata":
		return prefix + redactMetadata(value)
	}
	if short, ok := strings.CutPrefix(arg, "-H"); ok {
		return "-H" + redactHeader(short)
	}
	if strings.HasPrefix(arg, "-u") && len(arg) > 2 {
		return "-u" + hidden
	}
	return redactURL(arg)
}

func redactHeader(h string) string {
	name, _, ok := strings.Cut(h, ":")
	if ok && secretName.MatchString(name) {
		return name + ": " + hidden
	}
	return h
}

func redactMetadata(m string) string {
	return metadataPair.ReplaceAllStringFunc(m, func(pair string) string {
		parts := metadataPair.FindStringSubmatch(pair)
		if !secretName.MatchString(parts[1]) {
			return pair
		}
		return parts[1] + parts[2] + `"` + hidden + `"`
	})
}

// redactURL hides the password of a URL and the values of secret query keys.
func redactURL(raw string) string {
	name, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return raw
	}
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		rest = hidden + rest[at:]
	}
	_ = path
	before, query, ok := strings.Cut(rest, "?")
	if ok {
		pairs := strings.Split(query, "&")
		for i, p := range pairs {
			k, _, _ := strings.Cut(p, "=")
			if plain, err := url.QueryUnescape(k); err == nil && secretName.MatchString(plain) {
				pairs[i] = k + "=" + hidden
			}
		}
		rest = before + "?" + strings.Join(pairs, "&")
	}
	return name + "://" + rest
}
