package contract

// Template is a message with every field set to an example.
func (m *Method) Template() []byte { return []byte("{}") }
