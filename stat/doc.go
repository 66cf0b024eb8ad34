// Package stat holds the intervals and tests that a comparison stands on: Wilcoxon's signed rank with the estimate
// and interval of Hodges and Lehmann, Student's t on few paired differences, Holm's correction for several tests,
// Fisher's exact test on failure counts, the order-statistic interval of a percentile, the Mann-Whitney test for what
// is not paired, and, for series over time, the Mann-Kendall test, the slope of Theil and Sen and the block bootstrap.
//
// Series over time fall into segments at their change points; a curve that only rises, the law of scalability and the
// threshold of noisy trials are what a search for capacity rests on.
//
// It knows plain numbers only and imports nothing of ours. All functions are pure and safe for concurrent use.
// None returns NaN: where a number does not exist the documentation says what stands for it.
package stat
