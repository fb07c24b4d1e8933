// Use case `sweep-plan`: what warploom-collect should time on a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/kernels/operator.h"

namespace warploom {

struct SweepPlanRequest {
  std::string gpu;
  std::string predictor;              // as open_latency_model takes it: whose doubt decides
  std::vector<std::string> like;      // models; empty: all that are known
  std::vector<std::string> except;    // models whose shapes are left out
  std::vector<std::string> schemes;   // of products; empty: bf16 and fp8_static
  std::int64_t gpus = 1;              // of the node: with more also collectives over 2, 4, ... of them
  std::vector<std::string> families;  // only these; empty: all
  std::size_t operators = 40000;      // at most
  std::size_t random = 0;            // draw that many without regard to doubt instead: to check a calibration
  std::filesystem::path apart_from;  // a plan whose operators are left out
  double longest_ms = 5;             // predicted: longer operators eat up the time of a sweep
  std::uint64_t seed = 1;
  std::filesystem::path output;  // CSV for warploom-collect --plan
  static FieldTable describe();
};

struct SweepPlanResult {
  std::size_t candidates = 0;
  std::map<std::string, std::size_t> operators;  // chosen, by family
};

// Families, and the schemes of products, take turns by weight; within one, an operator comes the earlier the
// wider the predictor's interval is, with chance mixed in so that any beginning of the plan covers the whole
// range. Equal requests give equal plans. Throws NotFound (GPU, model), InvalidInput (nothing to choose
// from), IoError.
SweepPlanResult sweep_plan(const SweepPlanRequest& request);

}  // namespace warploom
