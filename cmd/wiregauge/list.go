package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"wiregauge/contract"
	"wiregauge/protocol"
)

// schemaOptions are the flags of list and describe.
type schemaOptions struct {
	ContractOptions `group:"Contract"`
	ConnOptions     `group:"Connection"`
	metaOptions     `group:"Connection"`
	NoticeOptions   `group:"Output"`
}

// metaOptions are what a reflection server may want to see.
type metaOptions struct {
	Header   []string   `flag:"header,H" value:"'K: V'" help:"metadata for the reflection service (repeat)"`
	Metadata jsonObject `flag:"metadata,m" value:"JSON" help:"metadata as a JSON object, as in ghz"`
	User     string     `flag:"user,u" value:"USER:PASS" help:"basic authentication"`
}

// data is what the options mean to the functions that run and call share.
func (o *schemaOptions) data() *DataOptions {
	return &DataOptions{ContractOptions: o.ContractOptions, Header: o.Header, Metadata: o.Metadata, User: o.User}
}

func (a *app) listCommand() *cobra.Command {
	o := &schemaOptions{}
	cmd := &cobra.Command{
		Use: "list [flags] [TARGET] [SERVICE]", Short: "the services of a server or a contract, or the methods of one; without a target the protocols",
		Long: "List what a server offers, by reflection, or what a .proto file or protoset describes: its services, or with\n" +
			"the name of one its methods. Without a target the protocols and URL schemes of this program.",
		Example: `  wiregauge list
  wiregauge list grpc://localhost:50051
  wiregauge list grpc://localhost:50051 inv.v1.Inventory
  wiregauge list --proto inventory.proto`,
	}
	a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && len(o.Proto)+len(o.Protoset) == 0 {
			return listProtocols(a.stdout)
		}
		s, err := a.openSchema(cmd.Context(), o, args)
		if err != nil {
			return err
		}
		defer s.contract.Close()
		return s.list(a.stdout, o.Verbose > 0)
	}
	return cmd
}

// listProtocols prints the table of this binary.
func listProtocols(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROTOCOL\tSCHEMES\tWHAT IT IS")
	for _, p := range protocol.All() {
		var schemes []string
		for _, s := range p.Schemes {
			schemes = append(schemes, s.Name+"://")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", p.Title, strings.Join(schemes, " "), p.Doc)
	}
	return t.Flush()
}

// A schema is a contract with the place it came from and the symbol that is asked for.
type schema struct {
	contract *contract.Contract
	target   *prepared // nil without a server
	symbol   string    // "" for all services
}

// openSchema reads the arguments [TARGET] [SYMBOL] and loads the contract.
func (a *app) openSchema(ctx context.Context, o *schemaOptions, args []string) (*schema, error) {
	s := &schema{}
	files := len(o.Proto)+len(o.Protoset) > 0
	if files && len(args) == 1 && !looksLikeTarget(args[0]) {
		args = append([]string{""}, args...)
	}
	switch {
	case len(args) > 2:
		return nil, usage("expected a target and a symbol, got %d words", len(args))
	case len(args) == 2:
		s.symbol = args[1]
	}
	if len(args) == 0 || args[0] == "" {
		source, _, err := contractSource(&prepared{Protocol: &protocol.Protocol{}, Target: &protocol.Target{}}, o.data())
		if err != nil {
			return nil, err
		}
		s.contract, err = contract.Load(ctx, source)
		if err != nil {
			return nil, usage("%w", err)
		}
		return s, nil
	}
	return s, a.reflectOn(ctx, o, args[0], s)
}

// reflectOn asks the server of a target, unless files are given.
func (a *app) reflectOn(ctx context.Context, o *schemaOptions, raw string, s *schema) error {
	if !strings.Contains(raw, "://") {
		url, err := a.bareServer(ctx, o, raw)
		if err != nil {
			return err
		}
		raw = url
	}
	t, err := a.target(raw, &o.ConnOptions)
	if err != nil {
		return err
	}
	if s.target, err = a.prepareTarget(ctx, t, &o.ConnOptions); err != nil {
		return err
	}
	if s.symbol == "" {
		s.symbol = strings.Trim(t.Path, "/")
	}
	source, ok, err := contractSource(s.target, o.data())
	if err != nil {
		return err
	}
	if !ok {
		return usage("%s is %s, which has no reflection", raw, s.target.Protocol.Title).
			with("try", "grpc:// for a gRPC server, or --proto FILE")
	}
	if s.contract, err = contract.Load(ctx, source); err != nil {
		return contractError(ctx, s.target, err)
	}
	return nil
}

// bareServer finds out whether a host:port without a scheme speaks gRPC over TLS or plaintext.
func (a *app) bareServer(ctx context.Context, o *schemaOptions, raw string) (string, error) {
	host, path, _ := strings.Cut(raw, "/")
	path = slashIf(path)
	if o.Plaintext {
		return "grpc://" + host + path, nil
	}
	const method = "/any.Service/Method" // so that HTTP/2 is taken for gRPC
	url, seen, err := a.guess(ctx, &o.ConnOptions, host, method)
	var e *exitError
	if errors.As(err, &e) {
		e.what = strings.Replace(e.what, method, path, 1)
	}
	if err != nil {
		return "", err
	}
	url = strings.TrimSuffix(url, method) + path
	a.noticeGuess(&o.NoticeOptions, host, seen, url)
	return url, nil
}

// list prints services, or the methods of one.
func (s *schema) list(w io.Writer, verbose bool) error {
	services := s.contract.Services()
	if s.symbol == "" && len(services) == 0 {
		return usage("the contract holds no service")
	}
	if s.symbol != "" {
		services = []string{s.symbol}
	}
	for _, name := range services {
		if s.symbol == "" && !verbose {
			fmt.Fprintln(w, name)
			continue
		}
		methods, err := s.contract.Methods(name)
		if err != nil {
			return s.unknown(err)
		}
		for _, m := range methods {
			line := strings.TrimPrefix(m.FullName, "/")
			if verbose {
				line = fmt.Sprintf("%s  %s  %s -> %s", line, m.Shape, m.Input.FullName(), m.Output.FullName())
			}
			fmt.Fprintln(w, line)
		}
	}
	return nil
}

// unknown puts a symbol that is not there into words.
func (s *schema) unknown(err error) error {
	if s.target != nil {
		return contractError(context.Background(), s.target, err)
	}
	var u *contract.UnknownError
	if !errors.As(err, &u) {
		return usage("%w", err)
	}
	e := usage("no %s %q       %s", u.Kind, u.Name, u.Lists())
	if u.Nearest != "" {
		e.with("did you mean", u.Nearest+" ?")
	}
	return e
}
