package suite

import (
	"encoding/json"

	"wiregauge/internal/option"
)

// Schema is the JSON Schema of suite files, for editors.
func Schema(keys Keys) []byte {
	settings := properties(keys.Suite)
	load := map[string]any{"mode": map[string]any{"enum": []string{"open", "closed"}}}
	for k, v := range settings {
		load[k] = v
	}
	target := properties(keys.Target)
	target["url"] = described("string", "where calls go; {port} is the port given to start")
	target["start"] = map[string]any{"type": []string{"string", "array"}, "description": "starts the server, without a shell; {port} is a free port"}
	target["build"] = map[string]any{"type": []string{"string", "array"}, "description": "makes what start runs, once, before the first launch; without a shell"}
	target["dir"] = described("string", "folder in which start runs")
	target["environ"] = map[string]any{"type": []string{"object", "array"}, "description": "environment of start"}
	top := map[string]any{}
	for k, v := range settings {
		top[k] = v
	}
	top["load"] = object(load)
	one := object(target)
	one["required"] = []string{"url"}
	top["targets"] = map[string]any{"type": "object", "additionalProperties": map[string]any{"anyOf": []any{map[string]any{"type": "string"}, one}}}
	schema := object(top)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "wiregauge suite"
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic("suite: schema: " + err.Error()) // maps of strings always marshal
	}
	return append(text, '\n')
}

func object(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

func described(kind, text string) map[string]any {
	return map[string]any{"type": kind, "description": text}
}

// properties are the options of the sets, aliases included.
func properties(sets []*option.Set) map[string]any {
	out := map[string]any{}
	for _, set := range sets {
		for _, o := range set.All() {
			if !o.Suite {
				continue
			}
			p := property(o)
			out[o.Name] = p
			for _, a := range o.Aliases {
				if a.Shorthand == "" && a.Fixed == "" {
					out[a.Name] = p
				}
			}
		}
	}
	return out
}

func property(o *option.Option) map[string]any {
	p := map[string]any{"description": o.Help}
	switch {
	case o.Switch():
		p["type"] = []string{"boolean", "integer"}
	case takesJSON(o):
		p["type"] = []string{"string", "object", "array"}
	case o.Repeats():
		p["type"] = []string{"string", "array", "object"}
	default:
		p["type"] = []string{"string", "number", "array"}
	}
	if o.Default != "" {
		p["default"] = o.Default
	}
	return p
}
