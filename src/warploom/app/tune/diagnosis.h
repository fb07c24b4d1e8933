// Kernels against their ceilings, ranked by the time that reaching them would save: what `diagnose` finds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warploom/ceiling/cause.h"
#include "warploom/ceiling/gap.h"
#include "warploom/kernels/operator.h"
#include "warploom/kernels/pipeline_demand.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// One operator, measured or predicted.
struct DiagnosedKernel {
  std::string label;  // its role in the model, or the kernel's name in the data
  Operator op;
  double calls = 1;       // in the workload
  Seconds actual;         // of one call
  KernelSource source{};  // of a predicted one's price
  Bound bound = Bound::Dram;
  Ceiling ceiling;
  Gap gap;
  Seconds least_saved, most_saved;     // of one call: actual's interval against neighbouring quantiles
  std::vector<Counterfactual> causes;  // most costly first
  PipelineDemand demand;               // of one call, as the kernel executes it
  double useful_flop = 0;

  Cause cause() const { return causes.empty() ? Cause::KernelCode : causes.front().cause; }
};

// Kernels of one label, family and cause.
struct DiagnosedGroup {
  std::string label;
  Family family = Family::Gemm;
  Cause cause = Cause::KernelCode;
  std::size_t kernels = 0, flagged = 0;
  double calls = 0;
  Seconds time, saved;     // of all calls
  double cause_share = 0;  // of the time, what the cause alone costs (weighted by time)
  double efficiency = 0, ceiling_efficiency = 0;  // weighted by time
};

// Time that has no ceiling, or rows that were not read.
struct LeftOut {
  std::string what;
  std::size_t rows = 0;
  std::optional<Seconds> time;
};

// A serving figure as it is and with every kernel at its ceiling.
struct ExpectedChange {
  std::string figure;  // "TTFT", "TPOT"
  Seconds now, least_saved, saved, most_saved;
};

struct Diagnosis {
  std::string gpu, source;  // what was diagnosed, in words
  double quantile = 0.8;
  GpuSpec spec;
  std::vector<DiagnosedKernel> kernels;  // most saved first
  std::vector<DiagnosedGroup> groups;    // most saved first
  Seconds time, saved;                   // of the kernels with a ceiling
  std::vector<LeftOut> left_out;
  // Families whose ceiling learned nothing from this GPU, and the GPUs that it comes from.
  std::vector<std::pair<std::string, std::vector<std::string>>> borrowed;
  std::vector<ExpectedChange> changes;  // of a predicted workload
};

// Fills groups, totals and the order of kernels.
void rank(Diagnosis& diagnosis);

}  // namespace warploom
