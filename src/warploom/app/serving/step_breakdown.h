// One forward pass, kernel by kernel: what `step` finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/serving/afd_breakdown.h"
#include "warploom/app/serving/labelled_kernels.h"
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
  std::string model, gpu, engine, host_profile;
  std::string expert_routing;  // of a mixture of experts; else empty
  std::int64_t gpus = 1;
  std::int64_t kv_cache_tokens = 0;  // that one replica has room for
  std::string batch;                 // in words: "prefill 4 x 1024"
  std::int64_t tokens = 0;
  std::vector<KernelRow> kernels;     // longest first
  KernelTrust trust;                  // of their time
  Seconds gpu_p10, gpu_p50, gpu_p90;  // of the step; kernels' errors as joint_error.h adds them
  Seconds host;                       // what the CPU adds; below 0: kernels overlap by more
  Seconds host_least, host_most;      // where launches are not known; else `host`
  Seconds hidden{0.0};                // of the kernels, by running beside others; not in gpu_p50
  bool in_halves = false;             // one exchanges with its experts while the other computes
  std::optional<AfdBreakdown> afd;
};

}  // namespace warploom
