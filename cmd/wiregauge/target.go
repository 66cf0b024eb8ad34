package main

import "strings"

// looksLikeTarget says whether a word is a URL or host:port rather than a command.
func looksLikeTarget(s string) bool {
	return strings.Contains(s, "://") || strings.Contains(s, ":")
}
