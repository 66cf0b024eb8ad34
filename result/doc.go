// Package result is the record of what was measured: a Turn is the atom (one arm for one time slice), an Arm is
// its turns merged, a File is a run or a comparison as it is saved (wiregauge.result/v1).
//
// Names carry units (ns, bytes), integers are nanoseconds, and a value that does not exist is null, never 0, NaN
// or Inf. Only additive changes happen within v1. The package knows no protocol and does no measuring.
package result
