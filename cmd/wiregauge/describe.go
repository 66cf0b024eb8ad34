package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) describeCommand() *cobra.Command {
	o := &schemaOptions{}
	cmd := &cobra.Command{
		Use: "describe [flags] [TARGET] [SYMBOL]", Short: "a service, a method or a message, with a template of the message to send",
		Long: "Show the definition of a service, a method, a message or an enum, from a server's reflection or from a .proto\n" +
			"file or protoset, with a template to fill in. Without a symbol every service is shown.",
		Example: `  wiregauge describe grpc://localhost:50051 inv.v1.Inventory.Check
  wiregauge describe grpc://localhost:50051/inv.v1.Inventory/Check
  wiregauge describe --proto inventory.proto inv.v1.CheckRequest`,
	}
	a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && len(o.Proto)+len(o.Protoset) == 0 {
			return usage("describe needs a target or a contract").with("try", "wiregauge describe grpc://localhost:50051").
				with("or", "wiregauge describe --proto FILE package.Message")
		}
		s, err := a.openSchema(cmd.Context(), o, args)
		if err != nil {
			return err
		}
		defer s.contract.Close()
		return s.describe(a)
	}
	return cmd
}

// describe prints one symbol, or every service.
func (s *schema) describe(a *app) error {
	symbols := []string{s.symbol}
	if s.symbol == "" {
		symbols = s.contract.Services()
	}
	for i, symbol := range symbols {
		text, err := s.contract.Describe(symbol)
		if err != nil {
			return s.unknown(err)
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprint(a.stdout, text)
	}
	return nil
}
