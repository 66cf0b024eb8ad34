package result

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write schema.json anew")

// The schema is made from the Go types and their comments, so that it cannot fall behind them.
func TestSchemaIsThatOfTheTypes(t *testing.T) {
	want := generateSchema(t)
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(SchemaJSON, want) {
		t.Error("schema.json is not the schema of the types; go test ./result -update writes it")
	}
}

func TestWrittenFilesValidate(t *testing.T) {
	schema := compiled(t)
	for name, f := range map[string]*File{"filled": filled(), "empty arm": {Kind: "run", Arms: []Arm{{}}}, "hardly anything": NewFile("run")} {
		text, err := f.JSON()
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRefusesWhatIsWrongAndTakesWhatIsMore(t *testing.T) {
	schema := compiled(t)
	text, err := filled().JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(m map[string]any)
		valid  bool
	}{
		{"a field that is not known yet", func(m map[string]any) { m["later"] = 1.0 }, true},
		{"no schema", func(m map[string]any) { delete(m, "schema") }, false},
		{"another schema", func(m map[string]any) { m["schema"] = "wiregauge.result/v2" }, false},
		{"arms that are no list", func(m map[string]any) { m["arms"] = "none" }, false},
		{"a count with a fraction", func(m map[string]any) { m["arms"].([]any)[0].(map[string]any)["ok"] = 1.5 }, false},
		{"an outcome that does not exist", func(m map[string]any) { m["verdicts"].([]any)[0].(map[string]any)["outcome"] = "winner" }, false},
	} {
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		c.change(m)
		if err := schema.Validate(any(m)); (err == nil) != c.valid {
			t.Errorf("%s: valid %v, want %v (%v)", c.name, err == nil, c.valid, err)
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("result.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("result.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// words are fields whose values are of a closed list.
var words = map[string][]string{
	"File.Kind":          {"run", "comparison"},
	"Plan.Loop":          {"", "closed", "open"},
	"Trust.Level":        {"", "ok", "suspect", "not_trustworthy", "unchecked"},
	"Verdict.Outcome":    {"", "not_fair", "faster", "slower", "probably_faster", "probably_slower", "same", "inconclusive"},
	"Verdict.Confidence": {"", "HIGH", "MEDIUM", "LOW"},
	"Verdict.Unit":       {"", "launch", "round"},
}

// unknowable are numbers that are null in files when they are not known.
var unknowable = map[string]bool{"HostLoad.Steal": true, "HostLoad.Foreign": true}

// A generator turns Go types into a JSON Schema.
type generator struct {
	docs map[string]string // "Arm", "Arm.Window"
	defs map[string]any
}

func generateSchema(t *testing.T) []byte {
	t.Helper()
	g := generator{docs: comments(t), defs: map[string]any{}}
	root := g.object(reflect.TypeFor[File]())
	root["properties"].(map[string]any)["schema"] = map[string]any{"const": Schema, "description": "Names the format and its version."}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = Schema
	root["$defs"] = g.defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// object lists the exported fields of a struct; those that are always written are required. More fields may come.
func (g generator) object(st reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	g.fields(st, properties, &required)
	slices.Sort(required)
	return described(map[string]any{"type": "object", "properties": properties, "required": required}, g.docs[st.Name()])
}

func (g generator) fields(st reflect.Type, properties map[string]any, required *[]string) {
	for _, f := range reflect.VisibleFields(st) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		owner := st
		if len(f.Index) > 1 {
			owner = st.Field(f.Index[0]).Type
		}
		schema := g.schema(f.Type)
		if list := words[owner.Name()+"."+f.Name]; list != nil {
			schema = map[string]any{"enum": list}
		}
		if unknowable[owner.Name()+"."+f.Name] {
			schema = map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
		}
		properties[name] = described(schema, g.docs[owner.Name()+"."+f.Name])
		if opts != "omitempty" {
			*required = append(*required, name)
		}
	}
}

func described(schema map[string]any, text string) map[string]any {
	if text != "" {
		schema["description"] = text
	}
	return schema
}

func (g generator) schema(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Pointer:
		return map[string]any{"anyOf": []any{g.schema(t.Elem()), map[string]any{"type": "null"}}}
	case t.Kind() == reflect.Slice:
		return map[string]any{"type": "array", "items": g.schema(t.Elem())}
	case t.Kind() == reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": g.schema(t.Elem())}
	case t.Kind() == reflect.Struct:
		if _, done := g.defs[t.Name()]; !done {
			g.defs[t.Name()] = nil // ends a recursion
			g.defs[t.Name()] = g.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case t.Kind() == reflect.String:
		return map[string]any{"type": "string"}
	case t.Kind() == reflect.Bool:
		return map[string]any{"type": "boolean"}
	case t.Kind() == reflect.Float64:
		return map[string]any{"type": "number"}
	default:
		return map[string]any{"type": "integer"}
	}
}

// comments are those of the types and fields in this package's files.
func comments(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, name := range []string{"file.go", "turn.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				continue
			}
			spec := d.Specs[0].(*ast.TypeSpec)
			docs[spec.Name.Name] = oneLine(d.Doc)
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range st.Fields.List {
				for _, name := range f.Names {
					docs[spec.Name.Name+"."+name.Name] = oneLine(f.Doc) + oneLine(f.Comment)
				}
			}
		}
	}
	return docs
}

func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
