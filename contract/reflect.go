package contract

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"sort"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"wiregauge"
)

// lookup bounds one question to a reflection server that comes without a context: the type of an Any, met while
// JSON is read.
const lookup = 5 * time.Second

// A reflector asks one server's reflection service: v1, and where that is unknown v1alpha, whose messages have the
// same bytes. Each question is a stream of its own, so that none stays open while calls are made.
type reflector struct {
	address string
	options []grpc.DialOption
	md      metadata.MD

	mu      sync.Mutex
	conn    *grpc.ClientConn // nil while closed
	chosen  string           // "v1" or "v1alpha" once the server has answered
	dialErr error
}

var versions = []string{"v1", "v1alpha"}

// reflected opens the reflection service and asks it for its list of services.
func reflected(ctx context.Context, r Reflection) (*Contract, error) {
	remote := newReflector(r)
	c := &Contract{lib: newLibrary(), remote: remote}
	c.lib.ask = remote.symbol
	var err error
	if c.services, err = remote.list(ctx); err == nil {
		return c, nil
	}
	var refused *answerError
	if errors.As(err, &refused) { // it may still know symbols
		c.noList = fmt.Sprintf("reflection %s answered %s for the list of services", remote.version(), refused)
		return c, nil
	}
	_ = remote.close()
	return nil, err
}

func newReflector(r Reflection) *reflector {
	remote := &reflector{address: "passthrough:///" + r.Address, md: toMetadata(r.Header)}
	creds, timeout := insecure.NewCredentials(), r.Timeout
	if timeout <= 0 {
		timeout = lookup
	}
	if r.TLS != nil {
		creds = tlsCredentials{credentials.NewTLS(r.TLS), r.TLS.ServerName}
	}
	remote.options = []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return remote.dial(ctx, r) }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1 << 30)),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: timeout,
			Backoff: backoff.Config{BaseDelay: timeout / 10, Multiplier: 1.6, MaxDelay: timeout}}),
		grpc.WithDisableServiceConfig(),
		grpc.WithUserAgent("wiregauge/1"),
	}
	if authority := cmp.Or(r.Authority, authorityOf(r)); authority != "" {
		remote.options = append(remote.options, grpc.WithAuthority(authority))
	}
	return remote
}

// tlsCredentials keep the name that TLS asks for and checks apart from the authority that is sent; grpc-go takes one
// for the other, or refuses two that differ.
type tlsCredentials struct {
	credentials.TransportCredentials
	name string // "" for the authority's
}

// Info hides the name.
func (c tlsCredentials) Info() credentials.ProtocolInfo {
	info := c.TransportCredentials.Info()
	//lint:ignore SA1019 grpc-go reads the name here and nowhere else
	info.ServerName = ""
	return info
}

// ClientHandshake makes the handshake for the name.
func (c tlsCredentials) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return c.TransportCredentials.ClientHandshake(ctx, cmp.Or(c.name, authority), conn)
}

// Clone copies.
func (c tlsCredentials) Clone() credentials.TransportCredentials {
	return tlsCredentials{c.TransportCredentials.Clone(), c.name}
}

// open gives the connection, a new one after close.
func (r *reflector) open() (*grpc.ClientConn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		return r.conn, nil
	}
	conn, err := grpc.NewClient(r.address, r.options...)
	if err != nil {
		return nil, fmt.Errorf("reflection: %w", err)
	}
	r.conn = conn
	return conn, nil
}

// authorityOf is what a client of the address would send; a socket's path is no authority.
func authorityOf(r Reflection) string {
	switch {
	case r.Network == "unix":
		return "localhost"
	case r.TLS != nil && r.TLS.ServerName != "":
		return ""
	}
	return r.Address
}

// dial opens the plain connection and remembers why it could not.
func (r *reflector) dial(ctx context.Context, to Reflection) (net.Conn, error) {
	open := to.Dial
	if open == nil {
		network := cmp.Or(to.Network, "tcp")
		open = func(ctx context.Context) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, to.Address)
		}
	}
	conn, err := open(ctx)
	if err != nil {
		r.mu.Lock()
		r.dialErr = err
		r.mu.Unlock()
	}
	return conn, err
}

func (r *reflector) close() error {
	r.mu.Lock()
	conn := r.conn
	r.conn = nil
	r.mu.Unlock()
	if conn == nil {
		return nil
	}
	return conn.Close()
}

func (r *reflector) version() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.chosen, versions[0])
}

// toMetadata makes metadata of header fields. A value of a -bin name is base64 as everywhere on the command line;
// one that is not is taken as it is.
func toMetadata(fields []wiregauge.Field) metadata.MD {
	md := metadata.MD{}
	for _, f := range fields {
		value := f.Value
		if strings.HasSuffix(strings.ToLower(f.Name), "-bin") {
			if raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "=")); err == nil {
				value = string(raw)
			}
		}
		md.Append(f.Name, value)
	}
	return md
}

// An answerError is an error that the reflection service itself answered; the stream was fine.
type answerError struct {
	code codes.Code
	text string
}

func (e *answerError) Error() string { return codeName(e.code) + " " + quote(e.text) }

// quote puts an answer into quotes; protobuf-go writes a no-break space into its errors, on purpose.
func quote(s string) string { return fmt.Sprintf("%q", strings.ReplaceAll(s, "\u00a0", " ")) }

// list asks for the names of all services.
func (r *reflector) list(ctx context.Context) ([]string, error) {
	answer, err := r.ask(ctx, &rpb.ServerReflectionRequest{
		MessageRequest: &rpb.ServerReflectionRequest_ListServices{ListServices: "*"}})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range answer.GetListServicesResponse().GetService() {
		names = append(names, s.GetName())
	}
	sort.Strings(names)
	return names, nil
}

// symbol gets the file of a symbol with all that it imports. No files and no error is a server that does not know
// the symbol; said is what it answered.
func (r *reflector) symbol(name string, have func(string) bool) (files []*descriptorpb.FileDescriptorProto, said string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lookup)
	defer cancel()
	got := map[string]*descriptorpb.FileDescriptorProto{}
	err = r.files(ctx, got, &rpb.ServerReflectionRequest{
		MessageRequest: &rpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: name}})
	var refused *answerError
	if errors.As(err, &refused) {
		return nil, fmt.Sprintf("reflection %s answered %s for symbol %q", r.version(), refused, name), nil
	}
	if err != nil {
		return nil, "", err
	}
	if err := r.dependencies(ctx, got, have); err != nil {
		return nil, "", err
	}
	for _, p := range got {
		if p != nil {
			files = append(files, p)
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].GetName() < files[j].GetName() })
	return files, fmt.Sprintf("reflection %s knows symbol %q", r.version(), name), nil
}

// dependencies fetches what the files import until nothing is missing. A file that the server does not have
// stays missing: what needs it may not be used.
func (r *reflector) dependencies(ctx context.Context, got map[string]*descriptorpb.FileDescriptorProto, have func(string) bool) error {
	for {
		var missing []string
		for _, p := range got {
			for _, dep := range p.GetDependency() {
				if _, known := got[dep]; !known && !have(dep) {
					got[dep] = nil
					missing = append(missing, dep)
				}
			}
		}
		if len(missing) == 0 {
			return nil
		}
		for _, name := range missing {
			err := r.files(ctx, got, &rpb.ServerReflectionRequest{
				MessageRequest: &rpb.ServerReflectionRequest_FileByFilename{FileByFilename: name}})
			var refused *answerError
			if err != nil && !errors.As(err, &refused) {
				return err
			}
		}
	}
}

// files asks one question that is answered with files and adds them to got.
func (r *reflector) files(ctx context.Context, got map[string]*descriptorpb.FileDescriptorProto, q *rpb.ServerReflectionRequest) error {
	answer, err := r.ask(ctx, q)
	if err != nil {
		return err
	}
	for _, raw := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		p := new(descriptorpb.FileDescriptorProto)
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(raw, p); err != nil {
			return &ReflectionError{Tried: []string{r.version()}, Code: "INTERNAL", Text: "a file descriptor that cannot be read: " + plain(err)}
		}
		if got[p.GetName()] == nil {
			got[p.GetName()] = p
		}
	}
	return nil
}

// ask puts one question, to v1 and then to v1alpha until one of them has answered.
func (r *reflector) ask(ctx context.Context, q *rpb.ServerReflectionRequest) (*rpb.ServerReflectionResponse, error) {
	r.mu.Lock()
	try := versions
	if r.chosen != "" {
		try = []string{r.chosen}
	}
	r.mu.Unlock()
	conn, err := r.open()
	if err != nil {
		return nil, err
	}
	for i, version := range try {
		var answer *rpb.ServerReflectionResponse
		if answer, err = r.stream(ctx, conn, version, q); err != nil {
			if c := status.Code(err); c == codes.Unimplemented || c == codes.Unknown {
				continue
			}
			return nil, r.failed(conn, try[:i+1], err)
		}
		r.mu.Lock()
		r.chosen = version
		r.mu.Unlock()
		if e := answer.GetErrorResponse(); e != nil {
			return nil, &answerError{codes.Code(e.GetErrorCode()), e.GetErrorMessage()}
		}
		return answer, nil
	}
	return nil, r.failed(conn, try, err)
}

// failed turns a failed stream into words.
func (r *reflector) failed(conn *grpc.ClientConn, tried []string, err error) error {
	s := status.Convert(err)
	e := &ReflectionError{Tried: tried, Code: codeName(s.Code()), Text: s.Message(), Cause: err}
	if state := conn.GetState(); state != connectivity.Ready && s.Code() != codes.Unimplemented {
		e.Unreachable = true
		r.mu.Lock()
		if r.dialErr != nil {
			e.Text, e.Cause = r.dialErr.Error(), r.dialErr
		}
		r.mu.Unlock()
	}
	return e
}

// stream puts one question on a stream of its own and ends it properly.
func (r *reflector) stream(ctx context.Context, conn *grpc.ClientConn, version string, q *rpb.ServerReflectionRequest) (*rpb.ServerReflectionResponse, error) {
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(ctx, r.md))
	defer cancel()
	method := "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo"
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return nil, err
	}
	if err := s.SendMsg(q); err != nil { // the reason comes from RecvMsg
		_ = err
	}
	answer := new(rpb.ServerReflectionResponse)
	if err := s.RecvMsg(answer); err != nil {
		return nil, err
	}
	_ = s.CloseSend()
	end := time.AfterFunc(time.Second, cancel) // a server that does not end its side is left
	defer end.Stop()
	_ = s.RecvMsg(new(rpb.ServerReflectionResponse))
	return answer, nil
}

// codeName is a gRPC code as the specification writes it.
func codeName(c codes.Code) string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("CODE_%d", c)
}

var codeNames = [...]string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}
