package main

import (
	"fmt"
	"slices"
	"strings"
)

// named is what was typed with a name for every arm: those that have none get letters.
func named(args []string) string {
	var list []string
	for i, arg := range args {
		if name, _, ok := strings.Cut(arg, "="); !ok || strings.ContainsAny(name, ":/?") {
			arg = fmt.Sprintf("%c=%s", 'a'+rune(i%26), arg)
		}
		list = append(list, arg)
	}
	return strings.Join(list, " ")
}

// startsIt puts the hint to start a server right for an arm whose server is started here.
func (c *comparison) startsIt(e *exitError, name string) {
	at := slices.IndexFunc(c.arms, func(a *arm) bool { return a.name == name })
	if at < 0 || len(c.arms[at].command) == 0 {
		return
	}
	for i, h := range e.hints {
		if strings.HasPrefix(h.text, "start the server") {
			e.hints[i].text = "run the start command by hand and see what it says, and whether it listens on the {port} it is given; --ready-timeout waits longer"
		}
	}
}
