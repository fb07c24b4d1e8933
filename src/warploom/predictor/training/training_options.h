// What a training of the predictor may be told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/kernels/operator.h"
#include "warploom/learning/symmetric_boosting.h"
#include "warploom/measurements/splits.h"
#include "warploom/predictor/training/few_shot_shapes.h"

namespace warploom {

struct TrainingOptions {
  std::vector<Family> families;                  // empty: all that the data hold
  std::vector<std::string> exclude_gpus;         // as GpuCatalog::get takes them; their rows are not read
  std::map<std::string, std::int64_t> few_shot;  // GPU -> shapes of it to keep
  FewShotPer few_shot_per = FewShotPer::Family;  // what that number is meant for
  std::uint64_t seed = 1;
  // Test shapes are kept out of everything. Of the others a tenth sets the intervals, unseen by the trees
  // too.
  ShapeSplit split{};
  std::size_t fit_rows_per_gpu = 800;         // that the constants of the bases are fitted to
  std::size_t leave_out_rows_per_gpu = 8000;  // for each small model that leaves an architecture out; 0: none
  // GPUs that get an ensemble of their own; without a list all do. The others only feed the cross ensemble.
  std::optional<std::vector<std::string>> measured_gpus;
  std::optional<SymmetricOptions> cell_trees;  // of the measured tier; absent: by family, for large tables
  int threads = 0;                             // 0: all of the machine's
  std::string created_by = "warploom";
  std::function<void(std::string_view)> progress;  // a line at a time; called from one thread
};

}  // namespace warploom
