// Package trust says how far the numbers of a result may be believed. Eighteen checks, each a pure function of what was
// counted while it was measured, say of themselves that all is well, that a number is in doubt, that it must not be
// used, or that they could not be read: what is unknown is never ok. It measures nothing, prints nothing and changes
// nothing. Start reading at Of; the checks stand in the files that are named after what they look at.
package trust
