// One forward pass, kernel by kernel.
#pragma once

#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// All calls of one kernel at one place of the model.
struct KernelRow {
  std::string label;
  Family family = Family::Gemm;
  double calls = 0;
  Seconds p10, p50, p90;  // of all calls together
  Bound bound = Bound::Dram;
  KernelSource source;
};

struct StepBreakdown {
  std::string model, gpu, engine;
  std::int64_t gpus = 1;
  std::int64_t kv_cache_tokens = 0;  // that one replica has room for
  std::string batch;                 // in words: "prefill 4 x 1024"
  std::int64_t tokens = 0;
  std::vector<KernelRow> kernels;     // longest first
  Seconds gpu_p10, gpu_p50, gpu_p90;  // of the step; kernels' errors taken as independent
  Seconds host;                       // what the CPU adds
  Seconds hidden{0.0};                // of the kernels, by running beside others; not in gpu_p50
};

std::string step_text(const StepBreakdown& step);
// {"model", "gpu", "engine", "gpus", "kv_cache_tokens", "batch", "tokens", "step_ms", "gpu_ms":
// {"p10","p50","p90"}, "host_ms", "hidden_ms", "kernels": [{"label", "family", "calls", "time_us",
// "p10_us", "p90_us", "share", "bound", "tier", "extrapolated", "framework", "version", "kernel",
// "stands_in", "stands_in_for", "scheme_priced" (where it is another)}]}
Json step_json(const StepBreakdown& step);

}  // namespace warploom
