// Package meter reads what a run costs: CPU and memory of this process and of a server's process tree, garbage
// collections, and what else happened on the machine. What a system cannot tell is said to be unknown, never 0.
package meter
