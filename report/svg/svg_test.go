package svg

import (
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestDrawingIsWellFormedWhateverItIsGiven(t *testing.T) {
	hostile := `</text><script>alert(1)</script>" onload="x' & <`
	c := New(100, 50)
	c.Text(1, 2, End, `a" onload="x`, hostile)
	c.Rect(math.NaN(), math.Inf(1), -1, 2, "bar", hostile)
	for series := range 7 {
		c.Mark(series, 5, 5, 4, "m", hostile)
	}
	var p Path
	p.Move(0, 0)
	p.Step(3, 4)
	c.Path(&p, "line")
	out := string(c.Image("x", hostile, hostile))
	d := xml.NewDecoder(strings.NewReader(out))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local == "script" {
				t.Fatal("a script got in")
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Fatalf("attribute %s got in", a.Name.Local)
				}
			}
		}
	}
	if strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
		t.Errorf("numbers that are not finite: %s", out)
	}
}

func TestScales(t *testing.T) {
	log := Scale{Log: true, D0: 1, D1: 100, R0: 0, R1: 200}
	for v, want := range map[float64]float64{1: 0, 10: 100, 100: 200, 0: 0, -5: 0, 1000: 200} {
		if got := log.At(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("log At(%v) = %v, want %v", v, got, want)
		}
	}
	linear := LinearScale(41, 100, 0)
	if linear.D1 != 50 || linear.At(25) != 50 {
		t.Errorf("linear = %+v, At(25) = %v", linear, linear.At(25))
	}
	if got := (Scale{D0: 3, D1: 3, R0: 0, R1: 10}).At(3); got != 5 {
		t.Errorf("a scale of one value puts it at %v, want the middle", got)
	}
}

func TestTicksAreRoundAndFew(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high float64
	}{{"one decade", 1e6, 1e7}, {"three decades", 1e5, 1e8}, {"nearly one value", 5e6, 5.1e6}, {"twelve decades", 1, 1e12}} {
		ticks := LogScale(c.low, c.high, 0, 1).Ticks(5)
		if len(ticks) < 2 || len(ticks) > 14 {
			t.Errorf("%s: %d ticks: %v", c.name, len(ticks), ticks)
		}
	}
	if got := LinearScale(41, 0, 1).Ticks(5); !slices.Equal(got, []float64{0, 10, 20, 30, 40, 50}) {
		t.Errorf("linear ticks = %v", got)
	}
}

func TestSpreadKeepsLabelsApartAndInside(t *testing.T) {
	got := Spread([]float64{50, 50, 49, 98}, 12, 0, 100)
	sorted := slices.Clone(got)
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i]-sorted[i-1] < 12 {
			t.Errorf("labels %v are nearer than 12", got)
		}
	}
	if sorted[0] < 0 || sorted[len(sorted)-1] > 100 {
		t.Errorf("labels %v leave 0..100", got)
	}
	if got[2] >= got[0] {
		t.Errorf("the order changed: %v", got)
	}
}
