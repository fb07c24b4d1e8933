// Predicted static batches against measured ones: what `validate static` finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/runs/comparison.h"
#include "warploom/base/work_clock.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Static batches. Times in ms.
struct StaticValidationRow {
  std::string hardware, engine, model, workload;
  std::string expert_routing;  // of a mixture of experts; else empty
  std::int64_t tp = 1, pp = 1, batch = 1;
  std::optional<Comparison> prefill, decode;  // absent where only the total was measured
  Comparison total;
  double total_p10 = 0, total_p90 = 0, host = 0, collectives = 0;  // predicted
  Tier tier = Tier::Roofline;
};
// A published method on the same rows, as its publication composes a batch (published_static.h).
struct StaticBaseline {
  std::string name;
  std::vector<StaticValidationRow> rows;
  double roofline_share = 0;  // of the predicted time, for which the method has no model
  WorkCost training;          // nothing for a method that came as a file
};
struct StaticValidation {
  std::vector<StaticValidationRow> rows;
  std::vector<StaticBaseline> baselines;
  std::size_t left_out = 0;  // rows, by require_tier
};

// One entry for each row that has the figure.
struct PhaseErrors {
  std::vector<double> errors, biases;
  void add(const std::optional<Comparison>& figure);
};
struct StaticErrors {
  PhaseErrors prefill, decode, total;
  double coverage = 0;  // share of the totals inside p10 .. p90; NaN without rows
};
StaticErrors static_errors(const std::vector<StaticValidationRow>& rows);

}  // namespace warploom
