package vec

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const bigPrec = 256

// piDigits is pi to 75 decimals, 2^-249.
const piDigits = "3.141592653589793238462643383279502884197169399375105820974944592307816406286"

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

// bigSin is sin x by its series, after taking multiples of 2 pi from x.
func bigSin(x *big.Float) float64 {
	twoPi, _, err := big.ParseFloat(piDigits, 10, bigPrec, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	twoPi.Mul(twoPi, bigFloat(2))
	turns, _ := new(big.Float).Quo(x, twoPi).Int(nil)
	r := new(big.Float).SetPrec(bigPrec).SetInt(turns)
	r.Sub(x, r.Mul(r, twoPi))

	sum, term := new(big.Float).Set(r), new(big.Float).Set(r)
	square := new(big.Float).Mul(r, r)
	for k := 3.0; k < 80; k += 2 {
		term.Mul(term, square)
		term.Quo(term, bigFloat(-k*(k-1)))
		sum.Add(sum, term)
	}
	s, _ := sum.Float64()
	return s
}

// bigSincos is sin x and sin(x + pi/2).
func bigSincos(x float64) (sin, cos float64) {
	pi, _, _ := big.ParseFloat(piDigits, 10, bigPrec, big.ToNearestEven)
	shifted := new(big.Float).Add(bigFloat(x), pi.Quo(pi, bigFloat(2)))
	return bigSin(bigFloat(x)), bigSin(shifted)
}

func checkSincos(t *testing.T, x, wantSin, wantCos float64) {
	t.Helper()
	sin, cos := Sincos(x)
	if math.Abs(sin-wantSin) > 1e-15 || math.Abs(cos-wantCos) > 1e-15 {
		t.Fatalf("Sincos(%v): got %v, %v, want %v, %v", x, sin, cos, wantSin, wantCos)
	}
}

func TestSincosNearMultiplesOfHalfPi(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 400 {
		n := float64(i)
		if i >= 100 {
			n = math.Floor(r.Float64() * sincosLimit / math.Pi * 2)
		}
		x := n * math.Pi / 2
		for _, x := range []float64{x, math.Nextafter(x, 0), -x, x + r.Float64()*1e-6} {
			if math.Abs(x) <= sincosLimit {
				sin, cos := bigSincos(x)
				checkSincos(t, x, sin, cos)
			}
		}
	}
}

func TestSincosOverItsRange(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 1000 {
		x := (2*r.Float64() - 1) * math.Ldexp(1, r.IntN(50)-19)
		sin, cos := bigSincos(x)
		checkSincos(t, x, sin, cos)
	}
	// math's are within an ulp of the exact values, 1.1e-16 of what is allowed.
	for range 200_000 {
		x := (2*r.Float64() - 1) * math.Ldexp(1, r.IntN(31))
		sin, cos := math.Sincos(x)
		checkSincos(t, x, sin, cos)
	}
}

func TestSincosSpecialValues(t *testing.T) {
	if sin, cos := Sincos(0); sin != 0 || cos != 1 {
		t.Errorf("Sincos(0): got %v, %v", sin, cos)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Nextafter(sincosLimit, math.Inf(1)), 1e300} {
		if sin, cos := Sincos(x); sin == sin || cos == cos {
			t.Errorf("Sincos(%v): got %v, %v, want NaN", x, sin, cos)
		}
	}
	for _, x := range []float64{sincosLimit, -sincosLimit} {
		sin, cos := bigSincos(x)
		checkSincos(t, x, sin, cos)
	}
}

// The bits for RoPE's kind of arguments, recorded once: any machine must find them.
func TestSincosBits(t *testing.T) {
	const want = 0x2f6afe8976b1f49b
	h := fnv.New64a()
	var word [8]byte
	for i := range 200_000 {
		x := float64(i) / float64(1+i%997)
		sin, cos := Sincos(x)
		for _, v := range []float64{sin, cos} {
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			h.Write(word[:])
		}
	}
	if got := h.Sum64(); got != want {
		t.Errorf("checksum %#x, want %#x", got, uint64(want))
	}
}
