package main

import "wiregauge/internal/option"

// applySuite gives the options of a command what a suite file says, and returns the URL of its only target.
func (a *app) applySuite(set *option.Set, file string, env []string) (url string, err error) {
	return "", later("--file")
}
