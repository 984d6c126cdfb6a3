package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 2000000 {
		x := float32(r.Float64()*176 - 87.3)
		got, want := float64(Exp(x)), math.Exp(float64(x))
		ulp := math.Ldexp(1, max(-126, math.Ilogb(want))-23)
		worst = max(worst, math.Abs(got-want)/ulp)
	}
	t.Log("exp ulp", worst)
	worst = 0
	for range 1000000 {
		x := (r.Float64()*2 - 1) * math.Ldexp(1, r.IntN(31))
		s, c := Sincos(x)
		ws, wc := math.Sincos(x)
		worst = max(worst, math.Abs(s-ws), math.Abs(c-wc))
	}
	t.Log("sincos", worst)
}
