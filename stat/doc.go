// Package stat holds the intervals and tests that a comparison stands on: Wilcoxon's signed rank with the estimate
// and interval of Hodges and Lehmann, Student's t on few paired differences, Holm's correction for several tests,
// Fisher's exact test on failure counts, and the order-statistic interval of a percentile.
//
// It knows plain numbers only and imports nothing of ours. All functions are pure and safe for concurrent use.
// None returns NaN: where a number does not exist the documentation says what stands for it.
package stat
