// Use case `validate ceilings`: how honest the ceilings' quantile is, and whether flagged kernels are those
// that tuning helps.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/import_data.h"
#include "warploom/base/fields.h"
#include "warploom/judge/validate/ceiling_validation.h"

namespace warploom {

struct ValidateCeilingsRequest {
  MeasurementSource source;
  std::string ceilings;  // folder that train-ceilings wrote; empty: those linked into the program
  // "measured": rows of GPUs from which their family's ceiling learned nothing are not judged; empty: all.
  std::string require_tier;
  double quantile = 0.8;
  // 0: the ceilings as they are, judged on shapes kept out of their training. From 2: ceilings are learned
  // anew from the source's other folds of shapes, and every row is judged.
  std::uint32_t cross_fit = 0;
  std::vector<std::filesystem::path> tuned;  // as read_tuned_times takes them, each judged apart
  // A file of `train` with `method` pipeweave and this quantile, counted on the same rows.
  std::filesystem::path published;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

// Throws InvalidInput when no row is left to judge or `published` is no ceiling at this quantile, what the
// readers throw.
CeilingValidation validate_ceilings(const ValidateCeilingsRequest& request);

}  // namespace warploom
