// A benchmark of the real thing against what a plan promised.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/app/plan/make_plan.h"

namespace warploom {

struct CheckedFigure {
  std::string name;                      // "ttft_p95_ms"; goodput_share
  double promised = 0, pessimistic = 0;  // with kernels at p50 and at p90; the latter 0 where it was not run
  double measured = 0, limit = 0;
  double error() const { return promised > 0 ? measured / promised - 1 : 0; }
};

struct PlanCheck {
  std::string generator;  // who measured: "vLLM bench"
  std::int64_t requests = 0;
  double promised_rate = 0, measured_rate = 0;  // requests/s
  std::vector<CheckedFigure> figures;           // of each limit, then of the means of TTFT and TPOT
  bool kept = false;                            // every limit that is judged
  std::vector<std::string> unjudged;            // limits that such a result does not tell
  // In what the measured load was another than the plan's, in words; then nothing was promised of it.
  std::vector<std::string> unlike;
};

// Checks plan.search.best. The file in any layout that read_measured_requests takes, which says nothing
// of single tokens (ITL) and of classes. Throws what that throws, InvalidInput when the plan found no
// deployment, and Unsupported where no limit can be judged.
PlanCheck check_plan(const PlanResult& plan, const std::filesystem::path& result);

}  // namespace warploom
