// Package judge decides what may be said about a comparison: one pure function from what was measured to verdicts.
//
// The unit of every test is the launch of the servers, or the round when there was one launch only, never a call:
// calls of one launch share its luck. Rounds are compared within themselves, as the log ratio of two arms, so that
// what disturbs a whole round cancels. The test is Wilcoxon's signed rank, the estimate that of Hodges and Lehmann,
// the interval comes from the order of the Walsh averages; with 2 to 5 launches, Student's t takes their place.
//
// It measures nothing, reads no clock, knows no words of reports, and does not decide what is a fair test: that is
// given to it as doubts. Start reading at Data, Rules and Verdicts; Decide is the table of outcomes.
package judge
