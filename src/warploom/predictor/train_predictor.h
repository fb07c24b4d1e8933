// Trains a predictor from measurements: per family one ensemble for each GPU (measured tier), one over all
// GPUs (cross_gpu tier) whose shrinkage and interval come from leaving each GPU out, and intervals from
// shapes that the trees never saw.
//
// Deterministic: equal rows (in order), options and library version give equal bytes, for any number of
// threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/splits.h"
#include "warploom/predictor/family_model.h"
#include "warploom/predictor/few_shot_shapes.h"
#include "warploom/predictor/symmetric_boosting.h"

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
  // GPUs that get an ensemble of their own; without a list all do. Others speak through the cross ensemble.
  std::optional<std::vector<std::string>> measured_gpus;
  std::optional<SymmetricOptions> cell_trees;  // of the measured tier; absent: by family, for large tables
  int threads = 0;                             // 0: all of the machine's
  std::string created_by = "warploom";
  std::function<void(std::string_view)> progress;  // a line at a time; called from one thread
};

struct ErrorFigures {
  std::size_t rows = 0;
  double mean = 0, median = 0, p90 = 0;  // |predicted - measured| / measured
  double coverage = 0;                   // share of rows inside p10..p90
};

struct FamilyTraining {
  Family family = Family::Gemm;
  std::size_t rows_learned = 0;
  ErrorFigures held_out;  // shapes never seen, GPUs seen
  std::map<std::string, ErrorFigures> held_out_by_gpu;
  std::map<std::string, ErrorFigures> left_out;  // each GPU predicted without any of its rows (a small model)
  double seconds = 0;
};

struct TrainingResult {
  std::vector<FamilyModel> models;
  std::vector<FamilyTraining> report;
};

// Throws InvalidInput when a family that was asked for has too few rows, NotFound on an unknown GPU.
TrainingResult train_predictor(const Dataset& dataset, const GpuCatalog& catalog,
                               const TrainingOptions& options);

}  // namespace warploom
