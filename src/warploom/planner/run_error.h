// What a run of a real engine may take beyond a run at its p90: scheduling and client err too, and the
// interval of kernels and host does not know of them.
#pragma once

#include "warploom/planner/service_level.h"
#include "warploom/serving/metrics.h"

namespace warploom {

// ln(measured / predicted at p90) that nine in ten figures do not exceed: mean, p50, p90, p95
// and p99 of 27 recorded runs of vLLM 0.24 on H200 (tests/fixtures/engine/vllm_0_24_h200/serving), by
// tools/judge_promises. Published benchmarks were no part of it.
inline constexpr double kTtftMargin = 0.093, kTpotMargin = 0.017, kE2elMargin = 0.021;

// The latencies of a run at p90 with what lies beyond the kernels; gaps between tokens as TPOT.
void add_run_error(ServingMetrics& metrics);
// The same with the standard errors of the level's figures.
void lengthen_by_run_error(const ServiceLevel& level, RunFigures& figures);
// A level that a run at p90 keeps where `level` is kept with what lies beyond the kernels.
ServiceLevel less_run_error(ServiceLevel level);

}  // namespace warploom
