// Answers as charts of characters, below their tables on a terminal.
#pragma once

#include <string>

#include "warploom/app/serving/step_breakdown.h"
#include "warploom/report/terminal_charts.h"
#include "warploom/serving/simulation.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// Running and waiting requests, KV cache and preemptions over the run; empty without a timeline.
std::string timeline_chart(const SimulationResult& result, ChartStyle style);
// The step's time by what bounds its kernels, and the host's: what the page draws as a treemap.
std::string step_chart(const StepBreakdown& step, ChartStyle style);
// How many configurations were fitted how well.
std::string fit_chart(const WaveModel& model, ChartStyle style);

}  // namespace warploom
