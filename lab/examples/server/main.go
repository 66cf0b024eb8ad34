// Command server answers POST /v1/hello with net/http, or wg.v1.Hello/SayHello with grpc-go, and does nothing else: the
// smallest server that a Go programmer would write, for the comparisons of make examples. It ends at SIGTERM.
//
//	server http 8080
//	server grpc 50051
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"

	"wiregauge/lab/wgpb"
)

func main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func serve(args []string) error {
	if len(args) != 2 || args[0] != "http" && args[0] != "grpc" {
		return fmt.Errorf("want http or grpc, and a port, got %q", args)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+args[1])
	if err != nil {
		return err
	}
	if args[0] == "grpc" {
		s := grpc.NewServer()
		wgpb.RegisterHelloServer(s, greeter{})
		reflection.Register(s)
		return s.Serve(listener)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/hello", hello)
	return http.Serve(listener, mux)
}

func hello(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Greeting string `json:"greeting"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := json.Marshal(map[string]string{"reply": "hello " + request.Greeting})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer) // the client may have gone
}

type greeter struct{ wgpb.UnimplementedHelloServer }

func (greeter) SayHello(_ context.Context, q *wgpb.HelloRequest) (*wgpb.HelloReply, error) {
	return &wgpb.HelloReply{Reply: "hello " + q.Greeting}, nil
}
