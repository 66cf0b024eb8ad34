// Package wrong holds the tests of what goes wrong, end to end: the built program against wrong input and hostile
// peers, over every protocol and with both kinds of client. Each test runs a command line as a user would and
// looks at what is left: the exit code, what was printed, the files, the memory, and that the command ended by
// itself.
package wrong
