// Package inferencesim is a latency backend of inference-sim (github.com/inference-sim/inference-sim): its
// interface sim.LatencyModel, answered by Warploom's steps. Read in sim/latency_model.go at commit 2532425 and, with
// PostDecodeFixedOverhead, in its later tests; of sim/request.go InputTokens, ProgressIndex and NumNewTokens (the
// newer Request.InputLen is the length of InputTokens).
//
//	inferencesim.Register(inferencesim.Options{Engine: "vllm"}) // then sim.NewLatencyModelFunc makes it
package inferencesim

import (
	"fmt"
	"time"

	"github.com/inference-sim/inference-sim/sim"
	"warploom/go/warploom"
)

// Options that inference-sim does not know. Durations are what lies outside of a step, which Warploom's step does
// not hold: without them requests enter the queue and leave the engine at once.
type Options struct {
	Predictor string         // as warploom.Open takes it
	Engine    string         // whose kernels and host; "": vLLM
	Setup     map[string]any // further fields of the step, for example "host_profile"
	Queueing  time.Duration  // from arrival to the queue
	PerToken  time.Duration  // of each token after its step
	AtTheEnd  time.Duration  // of each request after its last token
}

// LatencyModel prices the steps of one engine. It belongs to one goroutine at a time, as the simulator uses it.
type LatencyModel struct {
	step     *warploom.Step
	options  Options
	contexts []int64
	prompts  []warploom.Prompt
}

// New opens the steps of a model on a GPU. Unknown names, and sizes that do not fit, are errors.
func New(hw sim.ModelHardwareConfig, options Options) (*LatencyModel, error) {
	session, err := warploom.Open(options.Predictor)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	setup := map[string]any{"model": hw.Model, "gpu": hw.GPU}
	if hw.TP > 1 {
		setup["tensor_parallel_size"] = hw.TP
	}
	if options.Engine != "" {
		setup["engine"] = options.Engine
	}
	for field, value := range options.Setup {
		setup[field] = value
	}
	step, err := session.OpenStep(setup)
	if err != nil {
		return nil, err
	}
	return &LatencyModel{step: step, options: options}, nil
}

// Register makes every latency model of the simulator one of Warploom's.
func Register(options Options) {
	sim.NewLatencyModelFunc = func(_ sim.LatencyCoeffs, hw sim.ModelHardwareConfig) (sim.LatencyModel, error) {
		model, err := New(hw, options)
		if err != nil {
			return nil, err // no typed nil
		}
		return model, nil
	}
}

// StepTime is that of the batch, at least 1 us, since a step of none would stop the simulator's clock. A request
// whose prompt is processed decodes.
func (m *LatencyModel) StepTime(batch []*sim.Request) int64 {
	m.contexts, m.prompts = m.contexts[:0], m.prompts[:0]
	for _, req := range batch {
		switch {
		case req.NumNewTokens < 1:
		case req.ProgressIndex >= int64(len(req.InputTokens)) && req.NumNewTokens == 1:
			m.contexts = append(m.contexts, req.ProgressIndex)
		default:
			m.prompts = append(m.prompts, warploom.Prompt{Tokens: int64(req.NumNewTokens), Context: req.ProgressIndex})
		}
	}
	if len(m.contexts)+len(m.prompts) == 0 {
		return 1
	}
	price, err := m.step.Mixed(m.contexts, m.prompts)
	if err != nil {
		// The interface has no errors: sizes that no engine can have are a fault of the caller.
		panic(fmt.Sprintf("warploom: %v", err))
	}
	return max(1, price.Time().Microseconds())
}

// QueueingTime as in Options.
func (m *LatencyModel) QueueingTime(*sim.Request) int64 { return m.options.Queueing.Microseconds() }

// OutputTokenProcessingTime as in Options.
func (m *LatencyModel) OutputTokenProcessingTime() int64 { return m.options.PerToken.Microseconds() }

// PostDecodeFixedOverhead as in Options.
func (m *LatencyModel) PostDecodeFixedOverhead() int64 { return m.options.AtTheEnd.Microseconds() }
