package main

import (
	"bytes"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"

	"wiregauge"
	"wiregauge/contract"
	"wiregauge/internal/option"
)

// expect is what the body of a good answer holds.
type expect struct {
	text string
	how  string // "contains" or "is"
	what []byte
}

// Set reads "body contains X" and "body is X".
func (e *expect) Set(s string) error {
	for _, how := range []string{"contains", "is"} {
		if what, ok := strings.CutPrefix(s, "body "+how+" "); ok && what != "" {
			*e = expect{s, how, []byte(what)}
			return nil
		}
	}
	return &option.Want{Want: "'body contains X' or 'body is X'", Got: s}
}

func (e *expect) String() string { return e.text }

// check makes the test of one answer; nil when nothing is expected. Bodies of a contract are looked at as compact JSON.
func (e *expect) check(sent *payload) func(*wiregauge.Call, []byte) bool {
	if e.text == "" {
		return nil
	}
	return func(_ *wiregauge.Call, body []byte) bool {
		if sent.Method != nil {
			text, err := sent.Method.Decode(sent.Codec, body, true, contract.DecodeOptions{Compact: true})
			if err != nil {
				return false
			}
			body = text
		}
		if e.how == "is" {
			return bytes.Equal(bytes.TrimSpace(body), e.what)
		}
		return bytes.Contains(body, e.what)
	}
}

// statusList is the statuses that are a success.
type statusList struct {
	text string
	set  map[int]bool
}

// Set reads "200,404" or, for gRPC, "OK,NOT_FOUND".
func (l *statusList) Set(s string) error {
	set := map[int]bool{}
	for _, part := range strings.Split(s, ",") {
		n, ok := parseStatus(strings.TrimSpace(part))
		if !ok {
			return &option.Want{Want: "statuses such as 200,404 or OK,NOT_FOUND", Got: s}
		}
		set[n] = true
	}
	*l = statusList{s, set}
	return nil
}

func parseStatus(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, n >= 0 && n <= 999
	}
	var c codes.Code
	if c.UnmarshalJSON([]byte(strconv.Quote(strings.ToUpper(s)))) != nil {
		return 0, false
	}
	return int(c), true
}

func (l *statusList) String() string { return l.text }
