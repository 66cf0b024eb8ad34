package contract

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io/fs"
	"net"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wiregauge"
)

// A Source says where a contract comes from. Exactly one of Files, Protosets and Reflect is used, in this order.
type Source struct {
	// Files are .proto files, ImportPaths the folders their imports are looked up in.
	Files, ImportPaths []string
	// Protosets are files that hold a google.protobuf.FileDescriptorSet.
	Protosets []string
	// FS, when set, is where Files, ImportPaths and Protosets are found, instead of the disk.
	FS fs.FS
	// Reflect asks a running server.
	Reflect *Reflection
}

// Reflection says which server to ask.
type Reflection struct {
	Address   string // host:port or the socket's path
	Network   string // "tcp" or "unix"; empty means tcp
	TLS       *tls.Config
	Authority string
	Header    []wiregauge.Field
	// Dial, when set, opens the plain connection instead of Network and Address.
	Dial func(ctx context.Context) (net.Conn, error)
}

// A Contract is a set of services and the messages they speak.
type Contract struct{}

// A Method is one method of a contract.
type Method struct {
	FullName      string // as it goes over the wire: "/pkg.Service/Method"
	Shape         wiregauge.Shape
	Input, Output protoreflect.MessageDescriptor
}

// EncodeOptions shape Encode.
type EncodeOptions struct {
	AllowUnknown bool // fields that the message does not have are ignored
}

// DecodeOptions shape Decode.
type DecodeOptions struct {
	EmitDefaults bool // fields without a value are shown with their default
	Compact      bool // one line instead of two-space indentation
}

var errStub = errors.New("not built yet")

// Load reads a contract.
func Load(ctx context.Context, s Source) (*Contract, error) { return nil, errStub }

// Services lists the full names of the services.
func (c *Contract) Services() []string { return nil }

// Method finds a method by "pkg.Svc/M", "/pkg.Svc/M" or "pkg.Svc.M".
func (c *Contract) Method(name string) (*Method, error) { return nil, errStub }

// Describe puts a service, a method, a message or an enum into words.
func (c *Contract) Describe(symbol string) (string, error) { return "", errStub }

// Encode turns one JSON message into what goes over the wire.
func (m *Method) Encode(codec string, message []byte, opt EncodeOptions) ([]byte, error) {
	return nil, errStub
}

// Decode turns a body into JSON.
func (m *Method) Decode(codec string, body []byte, reply bool, opt DecodeOptions) ([]byte, error) {
	return nil, errStub
}

// Canonical gives the deterministic protobuf bytes of a body.
func (m *Method) Canonical(codec string, body []byte, reply bool) ([]byte, error) {
	return nil, errStub
}

// REST maps a message by the method's google.api.http annotation.
func (m *Method) REST(message []byte) (verb, path string, body []byte, hasBody bool, err error) {
	return "", "", nil, false, errStub
}

// Template is a message with every field set to an example.
func (m *Method) Template() []byte { return nil }

// SplitData cuts request data into its messages.
func SplitData(raw []byte) ([]json.RawMessage, error) { return nil, errStub }
