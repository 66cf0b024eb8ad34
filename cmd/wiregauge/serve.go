package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wiregauge/lab"
	"wiregauge/lab/plant"
	"wiregauge/lab/truth"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	ServeOptions `group:"Server"`
}

// ServeOptions say what is served, where, and what it does wrong.
type ServeOptions struct {
	Port     int      `flag:"port" value:"N" min:"0" max:"65535" help:"the first port, the others follow it; free ports below 32768 when nothing is said"`
	Host     string   `flag:"host" value:"ADDRESS" default:"127.0.0.1" help:"the address to listen on"`
	Protocol []string `flag:"protocol" value:"NAME" help:"http, h2c, grpc, tcp, https, h2, grpcs, tls, rsocket+tcp, rsocket+ws, rsocket+tls or rsocket+wss (repeat, or a list with commas): all when nothing is said"`
	Plain    bool     `flag:"plain" help:"without TLS only"`
	TLS      bool     `flag:"tls" help:"with TLS only"`
	All      bool     `flag:"all" help:"with and without TLS, as when nothing is said"`
	Unix     string   `flag:"unix" value:"FOLDER" help:"unix sockets in this folder instead of ports, without TLS and WebSocket"`
	CADir    string   `flag:"ca-dir" value:"FOLDER" help:"where the CA's certificate goes (ca.pem): a temporary folder when nothing is said"`
	Plant    string   `flag:"plant" value:"KEY=VALUE,…" help:"what to do wrong on purpose; the header wg-plant (an entry of metadata over RSocket) does it for one request"`
	Truth    string   `flag:"truth" value:"CASE|PLANT" help:"a server whose right answer is known, instead of --plant: S1 to S18 or a plant of your own; it times every call from when the kernel had it, and tells at /truth"`
}

func (a *app) serveCommand() *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use: "serve [flags] [SERVICE…]", Short: "the reference services over all protocols, plain and TLS",
		Long: "Serve the reference services (" + strings.Join(lab.Services(), ", ") + "; all when none is named) until Ctrl-C.\n\n" +
			"Prints target URLs, one a line, on stdout; the last one is where counts and service times are (GET /stats,\n" +
			"POST /reset). Reflection and health are on. What can be planted; WHEN is nothing (always), /N (every Nth) or P%:\n\n" +
			"  " + strings.TrimSpace(strings.ReplaceAll(plant.Help(), "\n", "\n  ")),
		Example: "  wiregauge serve\n" +
			"  wiregauge serve inventory --plain --port 18080\n" +
			"  wiregauge serve echo --plant 'delay=exp:5ms,stall=1s/10s'\n" +
			"  wiregauge serve hello --truth S2",
	}
	a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.serve(cmd.Context(), o, args) }
	return cmd
}

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context, o *serveOptions, services []string) error {
	s, err := lab.Serve(ctx, o.config(services))
	if err != nil {
		return usage("serve: %w", err)
	}
	defer s.Close()
	a.printEndpoints(s.Endpoints(), s.CAFile())
	fmt.Fprintln(a.stdout, s.AdminURL()+"/stats")
	if err := a.sayTruth(s, o.Truth); err != nil {
		return err
	}
	if file := s.CAFile(); file != "" {
		fmt.Fprintf(a.stderr, "TLS endpoints: --cacert %s\n", file)
	}
	fmt.Fprintln(a.stderr, "serving until Ctrl-C")
	<-ctx.Done()
	return nil
}

// printEndpoints prints the URLs, one a line. A person at a terminal gets headings beside them, on standard error, with
// the file that TLS needs.
func (a *app) printEndpoints(list []lab.Endpoint, ca string) {
	last := ""
	for _, e := range list {
		if h := heading(e, ca); h != last && a.terminal(a.stdout) {
			fmt.Fprintln(a.stderr, h)
			last = h
		}
		fmt.Fprintln(a.stdout, e.URL)
	}
}

// heading is what stands above the URLs of one service, plain or with TLS.
func heading(e lab.Endpoint, ca string) string {
	service, _, _ := strings.Cut(e.Name, "/")
	switch e.Protocol {
	case "https", "h2", "grpcs", "tls", "rsocket+tls", "rsocket+wss":
		return fmt.Sprintf("# %s, TLS: --cacert %s", service, ca)
	}
	return "# " + service
}

// sayTruth prints where a server with a known answer tells what it saw, and what a client should report.
func (a *app) sayTruth(s *lab.Server, spec string) error {
	if spec == "" {
		return nil
	}
	c, err := truth.Parse(spec)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, s.TruthURL())
	fmt.Fprintf(a.stderr, "%s (%s)\n", c.Title, c.Plant)
	for _, l := range c.Loads {
		if says := l.Truth.Says(); says != "" {
			fmt.Fprintf(a.stderr, "  %s: %s\n", l, says)
		}
	}
	return nil
}

func (o *ServeOptions) config(services []string) lab.ServeConfig {
	c := lab.ServeConfig{
		Services: services, Plain: o.Plain || o.All, TLS: o.TLS || o.All, Host: o.Host, Port: o.Port,
		Unix: o.Unix, CADir: o.CADir, Plant: o.Plant, Truth: o.Truth,
	}
	for _, list := range o.Protocol {
		for _, name := range strings.Split(list, ",") {
			c.Protocols = append(c.Protocols, strings.TrimSpace(name))
		}
	}
	return c
}
