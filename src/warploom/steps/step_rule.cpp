#include "warploom/steps/step_rule.h"

#include <algorithm>

namespace warploom {

FieldTable Elsewhere::describe() {
  using E = Elsewhere;
  constexpr double kMost = 10;
  return FieldList<E>("elsewhere")
      .add("other_gpus", &E::other_gpus, {.doc = "the rule is asked on GPUs that it was not fitted on"})
      .add("other_engines", &E::other_engines, {.doc = "the rule is asked of other engines"})
      .add("half_width", &E::half_width,
           {.unit = "ln", .doc = "that the interval gains there", .min = 0, .max = kMost})
      .add("times", &E::times,
           {.doc = "by which the rule's own interval grows there", .min = 1, .max = kMost})
      .add("undone", &E::undone,
           {.doc = "part of a change that may not be true there, of its ln or seconds",
            .min = 0,
            .max = kMost})
      .add("sizes", &E::sizes, {.doc = "whether sizes outside count there"})
      .add("source", &E::source, {.doc = "of what it states", .required = true})
      .table();
}

bool StepRule::ran_on(const GpuSpec& gpu) const {
  return std::find(gpus.begin(), gpus.end(), gpu.name) != gpus.end();
}

bool StepRule::runs_in(std::string_view release) const { return release.empty() || releases.holds(release); }

double outside_of(const StepRule& rule, std::initializer_list<double> sizes) {
  double widths = 0;
  auto range = rule.sizes.begin();
  for (const double size : sizes) widths = std::max(widths, widths_outside(*range++, size));
  return widths;
}

}  // namespace warploom
