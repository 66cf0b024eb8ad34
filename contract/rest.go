package contract

import "errors"

func (m *Method) wrapReply(body []byte) []byte { return body }

// REST maps a message by the method's google.api.http annotation.
func (m *Method) REST(message []byte) (verb, path string, body []byte, hasBody bool, err error) {
	return "", "", nil, false, errors.New("not built yet")
}
