// Package cases holds inputs that break other tools, as tests of the built program against real servers: each with the
// right answer, over every protocol and kind of client, and in every output format, that can show the fault.
//
// Counts, bytes, words, order and exit codes are checked here. Times are only printed, or held to what cannot have been
// quicker; the exact ones are checked on a fake clock, in package load. What servers of others do is in lab/interop. A
// case is named by its number; its heading comment, beside the test, says what is put in and what is right.
//
//	K01  failures in the statistics of good calls   failures_test.go   load: TestFailuresHaveTheirOwnLatency
//	K02  every call fails                           failures_test.go   load: TestNothingButFailures
//	K03  64-bit integers                            data_test.go       contract: method_test.go, diagnose_test.go
//	K04  white space, byte order mark               data_test.go       contract: data_test.go
//	K05  data from standard input                   data_test.go       cmd/wiregauge: comparestdin_test.go
//	K07  warm-up leaves the window                  window_test.go     load: TestWarmupLeavesTheWindow
//	K08  low rates, short runs                      open_test.go       load: TestLowRates, TestWhenCallsOfALowRateStart
//	K09  overload in an open loop                   open_test.go       load: TestOverload, TestWhyTheRateWasNotReached
//	K10  CSV                                        csv_test.go        report: calls_test.go, formats_test.go; load: TestCallsAreLogged
//	K11  Influx line protocol                       lines_test.go      report: parsers_test.go
//	K12  Prometheus text                            lines_test.go      report: parsers_test.go
//	K14  unknown keys                               suite_test.go      suite: suite_test.go
//	K15  exactly n calls                            counts_test.go     load: TestExactlyNCalls, TestExactlyNCallsOfAnyLoop
//	K16  conservation at the deadline               counts_test.go     load: TestConservationAtTheDeadline
//	K17  an absurd rate                             open_test.go       load: TestAbsurdRate
//	K18  the frozen server                          open_test.go       load: TestFrozenServer, TestFrozenServerInAClosedLoop
//	K19  percentiles stay inside the data           window_test.go     load: TestPercentilesStayInsideTheData; hist
//	K20  more than a million calls                  counts_test.go     load: TestMoreThanAMillionCalls
//	K21  nothing but timeouts                       failures_test.go   load: TestNothingButTimeouts
//	K22  calls in flight at the deadline            window_test.go     load: TestCallsThatHangAtTheDeadline, TestAgesInAnOpenLoop
//	K23  well-known types at the top                wellknown_test.go  contract: method_test.go
//	K24  large messages                             calls_test.go      lab/interop: large_test.go
//	K25  three messages of an endless stream        calls_test.go      load: TestTakeOfAnEndlessStream, TestTakeWithAStackClient
//	K26  reflection without methods                 calls_test.go      contract: reflect_test.go
//	K27  a server that always says 404              failures_test.go   load: TestNothingBut404
//	K28  connections that age                       ageing_test.go     load: TestAgeingConnections; nginx: lab/interop/ageing_test.go
//	K29  failure in the trailers                    failures_test.go   protocol/grpc: classify_test.go
//	K30  the client is the limit                    limit_test.go      compare: TestTheClientAsTheLimit, TestRecordedNumbersOfALimitedClient
//	K31  idle connections that the server closes    ageing_test.go     load: TestIdleConnectionsThatTheServerCloses
//
// K06 and K13 belong to the ghz command, as does half of K07.
package cases
