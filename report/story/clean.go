package story

import "wiregauge/internal/visible"

// Clean makes text of a server fit for one line of a terminal or page.
func Clean(text string) string { return visible.Line(text) }
