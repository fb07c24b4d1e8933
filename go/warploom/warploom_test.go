package warploom

import (
	"strings"
	"testing"
)

var llama = map[string]any{"model": "Llama-3.1-8B", "gpu": "H100-SXM"}

func opened(t *testing.T) *Session {
	t.Helper()
	session, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func TestStepsAreThoseOfTheAnswer(t *testing.T) {
	session := opened(t)
	step, err := session.OpenStep(llama)
	if err != nil {
		t.Fatal(err)
	}
	session.Close() // what a step needs lives as long as it does
	price, err := step.Decode(64, 500)
	if err != nil {
		t.Fatal(err)
	}
	contexts := make([]int64, 64)
	for i := range contexts {
		contexts[i] = 500
	}
	mixed, err := step.Mixed(contexts, nil)
	if err != nil || mixed != price {
		t.Fatalf("mixed %v, decode %v, %v", mixed, price, err)
	}
	longer, err := step.Mixed(contexts, []Prompt{{Tokens: 2048}})
	if err != nil || longer.P50 <= price.P50 {
		t.Fatalf("a prompt takes no time: %v, %v", longer, err)
	}
	var exact struct {
		StepMs float64 `json:"step_ms"`
	}
	fields := map[string]any{"decode": "64x500", "model": llama["model"], "gpu": llama["gpu"]}
	if err := opened(t).Answer("step", fields, &exact); err != nil {
		t.Fatal(err)
	}
	if ratio := price.Time().Seconds() * 1000 / exact.StepMs; ratio < 0.98 || ratio > 1.02 {
		t.Fatalf("%v and %v ms", price.Time(), exact.StepMs)
	}
}

func TestErrorsAreSentences(t *testing.T) {
	session := opened(t)
	_, err := session.OpenStep(map[string]any{"model": "Llama-3.1-8B", "gpu": "H100-SMX"})
	if err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Fatalf("%v", err)
	}
	step, err := session.OpenStep(llama)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := step.Mixed(nil, nil); err == nil {
		t.Fatal("a step of nothing was priced")
	}
	step.Close()
	if _, err := step.Decode(1, 1); err == nil || !strings.Contains(err.Error(), "not open") {
		t.Fatalf("a closed step answered: %v", err)
	}
}
