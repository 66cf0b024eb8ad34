// Command conformance is the adapter between connectconformance in client mode and the wire gRPC client: it reads
// ClientCompatRequest messages from standard input, makes each call on a connection of its own, and writes
// ClientCompatResponse messages, each preceded by its length as 4 bytes, big-endian.
//
//	connectconformance --mode client --conf grpc.yaml -- conformance FOLDER-OF-THE-SUITE'S-PROTO-FILES
//
// The suite's generated Go types cannot be imported, so the few fields are read and written by number
// (connectrpc/conformance/v1/client_compat.proto). The shapes of the methods come from the suite's .proto file.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"wiregauge/contract"
)

func main() {
	if err := serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// atOnce bounds the calls in flight.
const atOnce = 8

func serve(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("want one argument: the folder that holds connectrpc/conformance/v1/service.proto")
	}
	methods, err := contract.Load(ctx, contract.Source{
		Files: []string{"connectrpc/conformance/v1/service.proto"}, ImportPaths: args})
	if err != nil {
		return err
	}
	var (
		calls  sync.WaitGroup
		places = make(chan struct{}, atOnce)
		answer = answers{out: out}
		input  = bufio.NewReader(in)
	)
	for {
		raw, err := readMessage(input)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		request, err := parseRequest(raw)
		if err != nil {
			return err
		}
		places <- struct{}{}
		calls.Go(func() {
			defer func() { <-places }()
			got, err := carryOut(ctx, methods, request)
			answer.write(request.name, got, err)
		})
	}
	calls.Wait()
	return answer.err
}

// readMessage reads one length-prefixed message; io.EOF when the input ends between two.
func readMessage(in io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	message := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(in, message); err != nil {
		return nil, fmt.Errorf("a message of %d bytes was cut short: %w", len(message), err)
	}
	return message, nil
}

// answers writes responses in any order, never interleaved.
type answers struct {
	mu  sync.Mutex
	out io.Writer
	err error
}

func (a *answers) write(name string, r *response, failure error) {
	message := r.encode(name, failure)
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := a.out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...))
	a.err = errors.Join(a.err, err)
}
