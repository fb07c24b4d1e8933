// Package sim stands for github.com/inference-sim/inference-sim/sim in tests: the parts of its interface that a
// latency backend meets, written from their published signatures (sim/latency_model.go, sim/request.go,
// sim/config.go; the interface as since its PostDecodeFixedOverhead).
package sim

// Request of the simulation: what a latency backend reads of it.
type Request struct {
	InputTokens   []int // of the prompt
	OutputTokens  []int
	ProgressIndex int64 // tokens of prompt and output that were processed so far
	NumNewTokens  int   // in the current step
}

// LatencyModel estimates times in microseconds.
type LatencyModel interface {
	StepTime(batch []*Request) int64
	QueueingTime(req *Request) int64
	OutputTokenProcessingTime() int64
	PostDecodeFixedOverhead() int64
}

// LatencyCoeffs of learned backends.
type LatencyCoeffs struct{ BetaCoeffs, AlphaCoeffs []float64 }

// ModelHardwareConfig says which model runs on what.
type ModelHardwareConfig struct {
	Model string
	GPU   string
	TP    int
}

// NewLatencyModelFunc makes the backend of a simulation.
var NewLatencyModelFunc func(coeffs LatencyCoeffs, hw ModelHardwareConfig) (LatencyModel, error)
