// Package all registers every protocol of this binary. Only the command imports it.
package all
