// A rule with the constants of one file of data/steps: how kernels of a kind run inside a step, and what of.
//
// A rule is a formula and constants that were fitted on steps of one engine. Where it was fitted, its
// answer is as good as a measurement. Elsewhere it is a guess: the interval is wider by what the file
// states, and the tier is cross_gpu at best.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/size_range.h"
#include "warploom/steps/release_range.h"
#include "warploom/steps/rule_constants.h"

namespace warploom {

// What becomes of a rule on another GPU, in another release or engine than it was fitted on.
struct Elsewhere {
  bool other_gpus = false;     // it is asked there too
  bool other_engines = false;  // the same; it is asked in every release of its own
  // Where a rule replaces a price: a further ln half-width, and a factor on its own interval.
  double half_width = 0, times = 1;
  // Where a rule changes the price of a measured kernel: the part of the change that may not be true.
  double undone = 0;
  bool sizes = true;  // whether sizes count there as well
  std::string source;
  static FieldTable describe();
};

struct StepRule {
  static constexpr std::size_t kMostSizes = 3;

  RuleKind kind = RuleKind::Norms;
  RuleConstants constants;
  std::string engine;  // by its name in the measured data; empty: any
  ReleaseRange releases;
  std::vector<std::string> gpus;         // whose steps it was fitted on; none: chosen, not fitted
  std::vector<std::string> judged_gpus;  // whose steps its interval was judged on beside those
  std::array<SizeRange, kMostSizes> sizes{};
  // ln(time of a kernel / time by the rule), the 10th and the 90th percentile.
  double low = 0, high = 0;
  Elsewhere elsewhere;
  std::string file;  // for messages

  bool ran_on(const GpuSpec& gpu) const;
  bool is_of(std::string_view asked_engine) const { return engine == asked_engine; }
  bool runs_in(std::string_view release) const;  // a question that names none means the fitted one
};

// A rule beside the question that it answers.
struct RuleUse {
  const StepRule* rule = nullptr;  // null: no file speaks of such kernels
  bool own_release = false;        // of the engine and release that are asked for
  bool fitted = false;             // the same, on this GPU
  bool judged = false;             // the same, or its interval was judged so

  explicit operator bool() const { return rule != nullptr; }
  template <class Constants>
  const Constants& constants() const {
    return std::get<Constants>(rule->constants);
  }
};

// The widths of the size that lies farthest outside of what the rule was fitted on, in the order of its
// kind's sizes (form_of); 0: inside.
double outside_of(const StepRule& rule, std::initializer_list<double> sizes);

}  // namespace warploom
