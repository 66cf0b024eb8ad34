// Package warm finds where the warm-up of a service ends: from its latency and throughput in short strips, by change
// points, never by a guess. That a service does not settle is a result like any other.
//
// It is a rule on numbers and makes no calls: a load turn with Spec.Settle = Finder.Add watches until the rule is met,
// and Find judges strips that are there already. Start reading at Finder.
package warm
