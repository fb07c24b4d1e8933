// What a rule was fitted on. Each rule states its own beside its constants; outside of it the rule is a guess
// and says so.
//
// A rule that replaces a price is of tier measured on its GPUs in its releases alone. A rule that corrects
// the price of a swept kernel leaves it its tier; where it knows the GPU, the release or the size not, the
// interval also holds that nothing is corrected.
#pragma once

#include <array>
#include <string_view>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// The sizes between two ends, which are inside.
struct SizeRange {
  double low = 1, high = 1;
};

struct RuleDomain {
  std::string_view engine;                 // by its name in the measured data
  std::string_view release;                // of the engine: "0.24" holds 0.24.0 and 0.24.1
  std::array<std::string_view, 2> gpus{};  // that the steps ran on

  // A question that names no release means the one that was fitted on.
  bool holds(const GpuSpec& gpu, const KernelContext& context) const;
  bool ran_on(const GpuSpec& gpu) const;
  bool ran_as(const KernelContext& context) const;
};

// How far a size lies outside, in widths of the range on a scale of octaves; a range of less than an octave
// counts as one. 0: inside.
double widths_outside(const SizeRange& range, double size);

// Half-width, ln, that an answer gains `widths` outside of what it was learned from: of a feature of a model
// (LoadedFamily::outside) or a size of a rule.
double doubt_outside(double widths);

}  // namespace warploom
