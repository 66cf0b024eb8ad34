// Package interop holds the tests that run wiregauge against programs we did not write: grpc-go, grpcio, grpc-js
// and connect-go servers, nginx, haproxy, nghttpd, curl and grpcurl, the conformance suites, and Chromium with axe-core
// for reports. They need the build tag "external" and what `make peers` installs; `make test-all` runs them and fails
// if one was skipped.
//
// Most of them use the program as a user does, built once, and compare what it says with what the servers have
// counted. Start reading at webserver_test.go; the servers' configurations are in testdata.
package interop
