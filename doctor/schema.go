package doctor

import _ "embed"

// SchemaJSON is the published JSON Schema (draft 2020-12) of a Report. Objects are open: v1 may grow.
//
//go:embed schema.json
var SchemaJSON []byte
