module warploom/go/inferencesim

go 1.21

require (
	github.com/inference-sim/inference-sim v0.0.0
	warploom/go/warploom v0.0.0
)

replace warploom/go/warploom => ../warploom

// For the tests here; delete the line to build against the real simulator.
replace github.com/inference-sim/inference-sim => ./standin
