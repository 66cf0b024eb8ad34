package contract

import (
	"fmt"
	"slices"
	"strings"
)

// An UnknownError names a service, method or symbol that the contract does not have, and what it does have.
type UnknownError struct {
	Kind    string   // "service", "method", "symbol"
	Name    string   // as it was asked for
	In      string   // the service of an unknown method
	Origin  string   // where the contract comes from, as Contract.Origin says
	Known   []string // what there is: services, or the methods of In
	Nearest string   // what was probably meant; may be empty
	Answers []string // what a reflection server said, one entry a question
}

// Error says what is missing, what there is and what was probably meant.
func (e *UnknownError) Error() string {
	var b strings.Builder
	if e.Undescribed() {
		fmt.Fprintf(&b, "%s %q is listed, but not described; give --proto FILE or --protoset FILE", e.Kind, e.Name)
	} else {
		fmt.Fprintf(&b, "no %s %q", e.Kind, e.Name)
	}
	if e.In != "" {
		fmt.Fprintf(&b, " in service %s", e.In)
	}
	fmt.Fprintf(&b, "; %s", e.Lists())
	if e.Nearest != "" {
		fmt.Fprintf(&b, " - did you mean %q?", e.Nearest)
	}
	for _, a := range e.Answers {
		b.WriteString("; " + a)
	}
	return b.String()
}

// Undescribed reports whether the name is among what there is: a server lists it, and does not say what it looks like.
func (e *UnknownError) Undescribed() bool { return slices.Contains(e.Known, e.Name) }

// Lists puts what there is into words: "reflection lists: a.B, c.D".
func (e *UnknownError) Lists() string {
	who, verb := e.Origin, " has: "
	if strings.HasPrefix(who, "reflection") {
		who, verb = "reflection", " lists: "
	}
	if e.Kind == "method" {
		who, verb = "it", " has: "
	}
	if len(e.Known) == 0 {
		return who + strings.TrimSuffix(verb, ": ") + " nothing"
	}
	return who + verb + strings.Join(e.Known, ", ")
}

// A NameError is a method name that cannot be cut into service and method.
type NameError struct{ Name string }

// Error says what a method's name looks like.
func (e *NameError) Error() string {
	return fmt.Sprintf("method %q: expected package.Service/Method", e.Name)
}

// A DataError is request data that does not fit its message, with its place.
type DataError struct {
	Line, Column int // from 1; 0 when the place is not known
	Text         string
	// The rest is set when the fault is a field that Message does not have.
	Field   string   // as it was written
	Message string   // full name
	Fields  []string // what the message has: "sku (string)"
	Nearest string
}

// Error says what is wrong and where.
func (e *DataError) Error() string {
	if e.Field == "" {
		if e.Line == 0 {
			return e.Text
		}
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
	}
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" - did you mean %q?", e.Nearest)
	}
	return fmt.Sprintf("line %d, column %d: unknown field %q in message %s%s; fields: %s",
		e.Line, e.Column, e.Field, e.Message, hint, e.List())
}

// List names the fields of the message: "sku (string), warehouse (string)".
func (e *DataError) List() string {
	if len(e.Fields) == 0 {
		return "none"
	}
	return strings.Join(e.Fields, ", ")
}

// A ReflectionError is a server whose reflection service did not help.
type ReflectionError struct {
	Tried       []string // the versions that were asked: "v1", "v1alpha"
	Code        string   // the gRPC code as "UNIMPLEMENTED"
	Text        string   // what the server answered
	Unreachable bool     // there was no gRPC connection to ask over
	Cause       error
}

// Error says which versions were tried and what the server answered.
func (e *ReflectionError) Error() string {
	if e.Unreachable {
		return "reflection: no gRPC connection: " + e.Text
	}
	tried := strings.Join(e.Tried, " and ")
	if e.Code == "UNIMPLEMENTED" {
		return fmt.Sprintf("the server has no reflection (tried %s; it answered %s %q): give --proto FILE or --protoset FILE",
			tried, e.Code, e.Text)
	}
	return fmt.Sprintf("reflection %s answered %s %q", tried, e.Code, e.Text)
}

// Unwrap gives the cause, when there is one.
func (e *ReflectionError) Unwrap() error { return e.Cause }

// An ImportError is a file that was found in none of the places tried.
type ImportError struct {
	Name  string   // as the import or the user says it
	From  string   // the place of the import, "a.proto:3:1"; empty for a file the user named
	Tried []string // paths
}

// Error says which paths were tried.
func (e *ImportError) Error() string {
	if e.From == "" {
		return fmt.Sprintf("proto file %q not found; tried %s", e.Name, strings.Join(e.Tried, ", "))
	}
	return fmt.Sprintf("%s: import %q not found; tried %s; name its folder with -I", e.From, e.Name, strings.Join(e.Tried, ", "))
}
