package rsocket

import (
	"wiregauge"
	"wiregauge/protocol/rsocket/metadata"
)

// routes reads the metadata of requests. As the same metadata comes again and again, what was read is kept.
type routes struct {
	mime  string
	known map[string]*route
}

// A route is what the metadata of a request says.
type route struct {
	method string
	header []wiregauge.Field
	err    error
}

const (
	maxRoutes   = 256     // different metadata that are remembered at a time
	maxRemember = 4 << 10 // bytes of one of them
)

// none is a request that has no metadata.
var none = &route{}

func (r *routes) init(mime string) { r.mime, r.known = mime, map[string]*route{} }

// of reads the metadata of a request.
func (r *routes) of(p []byte) *route {
	if len(p) == 0 {
		return none
	}
	if known := r.known[string(p)]; known != nil {
		return known
	}
	read := r.read(p)
	if len(p) <= maxRemember {
		if len(r.known) >= maxRoutes {
			clear(r.known)
		}
		r.known[string(p)] = read
	}
	return read
}

func (r *routes) read(p []byte) *route {
	switch r.mime {
	case metadata.Composite:
		return readComposite(p)
	case metadata.Routing:
		tags, err := metadata.Tags(p)
		if err != nil || len(tags) == 0 {
			return &route{err: err}
		}
		return &route{method: tags[0]}
	}
	return none
}

// readComposite takes the first tag of the first routing entry; all other entries become fields.
func readComposite(p []byte) *route {
	entries, err := metadata.Entries(p)
	if err != nil {
		return &route{err: err}
	}
	read, routed := &route{}, false
	for _, e := range entries {
		if e.MIME != metadata.Routing || routed {
			read.header = append(read.header, wiregauge.Field{Name: e.MIME, Value: string(e.Data)})
			continue
		}
		tags, err := metadata.Tags(e.Data)
		if err != nil {
			return &route{err: err}
		}
		if routed = true; len(tags) > 0 {
			read.method = tags[0]
		}
	}
	return read
}
