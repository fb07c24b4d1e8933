package inferencesim

import (
	"strings"
	"testing"
	"time"

	"github.com/inference-sim/inference-sim/sim"
	"warploom/go/warploom"
)

var h100 = sim.ModelHardwareConfig{Model: "Llama-3.1-8B", GPU: "H100-SXM", TP: 1}

func request(prompt int, progress int64, tokens int) *sim.Request {
	return &sim.Request{InputTokens: make([]int, prompt), ProgressIndex: progress, NumNewTokens: tokens}
}

func registered(t *testing.T, hw sim.ModelHardwareConfig, options Options) (sim.LatencyModel, error) {
	t.Helper()
	Register(options)
	t.Cleanup(func() { sim.NewLatencyModelFunc = nil })
	return sim.NewLatencyModelFunc(sim.LatencyCoeffs{}, hw)
}

func TestABatchTakesWhatAStepTakes(t *testing.T) {
	model, err := registered(t, h100, Options{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := warploom.Open("")
	if err != nil {
		t.Fatal(err)
	}
	step, err := session.OpenStep(map[string]any{"model": h100.Model, "gpu": h100.GPU})
	if err != nil {
		t.Fatal(err)
	}
	// Two decode, one prompt begins, one goes on, one has nothing to do.
	batch := []*sim.Request{request(100, 500, 1), request(100, 100, 1), request(800, 0, 512), request(800, 512, 288),
		request(5, 5, 0)}
	price, err := step.Mixed([]int64{500, 100}, []warploom.Prompt{{Tokens: 512}, {Tokens: 288, Context: 512}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := model.StepTime(batch), price.Time().Microseconds(); got != want {
		t.Fatalf("%d us, expected %d", got, want)
	}
	if model.StepTime(nil) != 1 || model.StepTime([]*sim.Request{request(5, 5, 0)}) != 1 {
		t.Fatal("a step of nothing must move the clock by 1")
	}
}

func TestMoreGpusAreFaster(t *testing.T) {
	batch := []*sim.Request{request(8000, 0, 8000)}
	one, err := registered(t, h100, Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := registered(t, sim.ModelHardwareConfig{Model: h100.Model, GPU: h100.GPU, TP: 2}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if two.StepTime(batch) >= one.StepTime(batch) {
		t.Fatal("two GPUs take as long as one")
	}
}

func TestWhatLiesOutsideOfAStepIsSaid(t *testing.T) {
	model, err := registered(t, h100, Options{Queueing: 2 * time.Millisecond, PerToken: 3 * time.Microsecond,
		AtTheEnd: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if model.QueueingTime(nil) != 2000 || model.OutputTokenProcessingTime() != 3 ||
		model.PostDecodeFixedOverhead() != 1000 {
		t.Fatal("options were lost")
	}
}

func TestUnknownNamesAreErrorsAndNoModel(t *testing.T) {
	model, err := registered(t, sim.ModelHardwareConfig{Model: h100.Model, GPU: "H100-SMX"}, Options{})
	if err == nil || model != nil || !strings.Contains(err.Error(), "did you mean") {
		t.Fatalf("%v, %v", model, err)
	}
	_, err = registered(t, h100, Options{Setup: map[string]any{"instances": 2}})
	if err == nil || !strings.Contains(err.Error(), "not modelled") {
		t.Fatalf("%v", err)
	}
}
