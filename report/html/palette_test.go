package html

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

type vec [3]float64

type matrix [3]vec

// Full-strength simulations of Machado, Oliveira and Fernandes (2009), on linear RGB.
var visions = map[string]matrix{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
	"deutan": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
	"tritan": {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
}

func TestSeriesCanBeToldApartInEveryVisionAndTheme(t *testing.T) {
	for theme, p := range map[string]struct {
		colours    []string
		background string
	}{"light": {lightSeries, lightBackground}, "dark": {darkSeries, darkBackground}} {
		for _, c := range p.colours {
			if got := contrast(linear(t, c), linear(t, p.background)); got < 3 {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want at least 3", theme, c, p.background, got)
			}
		}
		for vision, m := range visions {
			for i, a := range p.colours {
				for _, b := range p.colours[i+1:] {
					if d := ciede2000(lab(m.times(linear(t, a))), lab(m.times(linear(t, b)))); d < 17 {
						t.Errorf("%s, %s: %s and %s are %.1f apart, want at least 17", theme, vision, a, b, d)
					}
				}
			}
		}
	}
}

func TestStyleUsesThePalette(t *testing.T) {
	for _, c := range append(append([]string{lightBackground, darkBackground}, lightSeries...), darkSeries...) {
		if !strings.Contains(strings.ToUpper(style), strings.ToUpper(c)) {
			t.Errorf("the style sheet lacks %s", c)
		}
	}
}

// The pairs are from the test data of Sharma, Wu and Dalal (2005).
func TestCIEDE2000AgreesWithItsTestData(t *testing.T) {
	for _, c := range []struct {
		a, b vec
		want float64
	}{
		{vec{50, 2.6772, -79.7751}, vec{50, 0, -82.7485}, 2.0425},
		{vec{50, -1.3802, -84.2814}, vec{50, 0, -82.7485}, 1.0000},
		{vec{50, 2.5, 0}, vec{73, 25, -18}, 27.1492},
		{vec{60.2574, -34.0099, 36.2677}, vec{60.4626, -34.1751, 39.4387}, 1.2644},
		{vec{2.0776, 0.0795, -1.1350}, vec{0.9033, -0.0636, -0.5514}, 0.9082},
	} {
		if got := ciede2000(c.a, c.b); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("ciede2000(%v, %v) = %.4f, want %.4f", c.a, c.b, got, c.want)
		}
	}
}

func (m matrix) times(v vec) vec {
	var out vec
	for i, row := range m {
		for k := range row {
			out[i] += row[k] * v[k]
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return out
}

// linear is a colour as linear sRGB.
func linear(t *testing.T, hex string) vec {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	var v vec
	for i, shift := range []int{16, 8, 0} {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			v[i] = c / 12.92
		} else {
			v[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return v
}

func luminance(v vec) float64 { return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2] }

func contrast(a, b vec) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x/y, y/x)
}

// lab is linear sRGB in CIE L*a*b* under D65.
func lab(v vec) vec {
	xyz := vec{
		(0.4124564*v[0] + 0.3575761*v[1] + 0.1804375*v[2]) / 0.95047,
		0.2126729*v[0] + 0.7151522*v[1] + 0.0721750*v[2],
		(0.0193339*v[0] + 0.1191920*v[1] + 0.9503041*v[2]) / 1.08883,
	}
	var f vec
	for i, x := range xyz {
		if x > 216.0/24389 {
			f[i] = math.Cbrt(x)
		} else {
			f[i] = (24389.0/27*x + 16) / 116
		}
	}
	return vec{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

// ciede2000 is the colour difference of CIE 142-2001 with all weights 1.
func ciede2000(p, q vec) float64 {
	meanC := (math.Hypot(p[1], p[2]) + math.Hypot(q[1], q[2])) / 2
	g := 0.5 * (1 - math.Sqrt(math.Pow(meanC, 7)/(math.Pow(meanC, 7)+math.Pow(25, 7))))
	a1, a2 := (1+g)*p[1], (1+g)*q[1]
	c1, c2 := math.Hypot(a1, p[2]), math.Hypot(a2, q[2])
	h1, h2 := hue(a1, p[2]), hue(a2, q[2])
	dh := h2 - h1
	sumH := h1 + h2
	switch {
	case c1*c2 == 0:
		dh = 0
	case dh > 180:
		dh -= 360
	case dh < -180:
		dh += 360
	}
	meanH := sumH / 2
	if c1*c2 == 0 {
		meanH = sumH
	} else if math.Abs(h1-h2) > 180 {
		meanH += 180
		if sumH >= 360 {
			meanH -= 360
		}
	}
	dL, dC, dH := q[0]-p[0], c2-c1, 2*math.Sqrt(c1*c2)*math.Sin(rad(dh)/2)
	meanL, meanCp := (p[0]+q[0])/2, (c1+c2)/2
	tt := 1 - 0.17*math.Cos(rad(meanH-30)) + 0.24*math.Cos(rad(2*meanH)) + 0.32*math.Cos(rad(3*meanH+6)) - 0.20*math.Cos(rad(4*meanH-63))
	sL := 1 + 0.015*math.Pow(meanL-50, 2)/math.Sqrt(20+math.Pow(meanL-50, 2))
	sC, sH := 1+0.045*meanCp, 1+0.015*meanCp*tt
	rC := 2 * math.Sqrt(math.Pow(meanCp, 7)/(math.Pow(meanCp, 7)+math.Pow(25, 7)))
	rT := -math.Sin(rad(60*math.Exp(-math.Pow((meanH-275)/25, 2)))) * rC
	return math.Sqrt(math.Pow(dL/sL, 2) + math.Pow(dC/sC, 2) + math.Pow(dH/sH, 2) + rT*dC/sC*dH/sH)
}

func hue(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	h := math.Atan2(b, a) * 180 / math.Pi
	if h < 0 {
		h += 360
	}
	return h
}

func rad(deg float64) float64 { return deg * math.Pi / 180 }
