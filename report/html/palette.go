package html

// The colours of series 1 to 6, in one order of hues in both themes: blue, orange, green, purple, cyan, red. They
// were chosen by number: apart by CIEDE2000 of at least 17 also in simulated colour blindness, contrast of at least
// 3 with their background. A test holds them to it.
var (
	lightSeries = []string{"#3349DE", "#CD8346", "#083C11", "#610A57", "#309FCF", "#BF064B"}
	darkSeries  = []string{"#8680F9", "#FEC792", "#357F67", "#815C8D", "#6DD7ED", "#D40E21"}
)

// The backgrounds that the series are drawn on.
const (
	lightBackground = "#FFFFFF"
	darkBackground  = "#0F172A"
)
