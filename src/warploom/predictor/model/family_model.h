// What was learned about one family of operators: plain data, as stored in a predictor file.
//
// A cell is one GPU, kernel context and kind (kind_code). Predicted ln latency = ln base, the overhead of the
// cell's class included, + offset of the cell + sum of its own trees. On a GPU that was never measured the
// offset is that of the class (the same context without version, mean over GPUs) and the trees are the cross
// ensemble, shrunk.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/operator.h"
#include "warploom/predictor/features/features.h"

namespace warploom {

// Intervals differ with the size of the operator: buckets of the base time, in seconds.
inline constexpr std::array<double, 3> kBucketEdges{15e-6, 60e-6, 300e-6};
inline constexpr std::size_t kBuckets = kBucketEdges.size() + 1;
std::size_t bucket_of(double log_base);

// ln(latency / predicted) at p10 and p90, per bucket. low <= 0 <= high.
struct LogInterval {
  std::array<float, kBuckets> low{}, high{};
};

struct ContextRecord {
  std::string framework, version, kernel;
};

struct GpuRecord {
  std::string name;
  std::int32_t architecture = 0;  // architecture_class
  std::uint32_t rows = 0;         // learned from
  // The GPU has few rows, which correct the prediction of the other GPUs: its level, kriging and trees are
  // added to the sibling or cross estimate.
  bool adapted = false;
  float level = 0;
  float share = 0;  // of its trees
};

// What a class of kernels adds to the base (class_overheads.h).
struct Overhead {
  float fixed_seconds = 0, row_seconds = 0;  // once, and for each of OperatorFeatures::rows
};
// ln of the base of `row` with it.
double log_base_with(const Overhead& overhead, const OperatorFeatures& row);

struct CellRecord {
  static constexpr std::uint16_t kAnyGpu = 0xFFFF;  // a class
  std::uint16_t gpu = kAnyGpu;                      // index into gpus
  std::uint16_t context = 0;                        // index into contexts
  std::uint16_t kind = 0;
  bool launch_bound = false;  // timed eagerly; never a default
  std::uint32_t rows = 0;
  float offset = 0;  // mean ln(latency / base with overhead)
  Overhead overhead;
  LogInterval interval;
  // The layer sizes of its rows (OperatorFeatures::layer), ascending; and the interval for other sizes.
  std::vector<std::uint32_t> layers;
  LogInterval interval_new_layer;
};

// Fitted constants of the base.
struct ConstantsRecord {
  static constexpr std::int32_t kAnyGpu = -1;
  std::int32_t gpu = kAnyGpu;  // an adapted GPU's index into gpus
  BaseConstants values;
};
// The record of the GPU (kAnyGpu: none in particular), else that of kAnyGpu, else the family's defaults.
const BaseConstants& constants_for(const std::vector<ConstantsRecord>& records, std::int32_t gpu,
                                   Family family);

// A base fitted to some GPUs: constants, and the overhead of each measured cell.
struct FittedBase {
  std::vector<ConstantsRecord> constants;
  std::vector<Overhead> overheads;
};

struct EnsembleRecord {
  std::uint16_t gpu = CellRecord::kAnyGpu;  // kAnyGpu: the cross ensemble
  std::vector<float> low, high;             // range of each feature in training: the measured domain
  std::string trees;  // join_cell_trees or join_adaptation; of the cross ensemble encode_trees
  // Trees over all cells of the GPU, without the features that tell layer sizes apart, for sizes that a
  // cell did not learn from (encode_symmetric). Empty: none.
  std::string layer_trees;
};

struct FamilyModel {
  Family family = Family::Gemm;
  // Provenance.
  std::string created_by;
  std::uint64_t data_hash = 0, seed = 0;
  // Shapes of the test set ShapeSplit{test_fraction, split_seed} (measurements/splits.h) were never seen.
  double test_fraction = 0;
  std::uint64_t split_seed = 0;

  std::vector<GpuRecord> gpus;
  std::vector<ContextRecord> contexts;
  // So many of them the trees were trained with; those behind came with sweeps (`calibrate`). 0: all.
  std::uint32_t trained_contexts = 0;
  std::vector<CellRecord> cells;
  std::vector<EnsembleRecord> ensembles;
  std::vector<ConstantsRecord> constants;
  // Weight of the cross ensemble, by whether the architecture was measured.
  float shrink_known = 1, shrink_unknown = 0.5F;
  // Intervals of the cross ensemble, by whether the architecture was measured; of sibling estimates.
  LogInterval interval_known, interval_unknown, interval_sibling;

  // Whether a GPU of that architecture was measured (adapted GPUs do not count).
  bool knows_architecture(std::int32_t architecture) const;
};

// Constants and overheads of a trained model.
FittedBase fitted_base(const FamilyModel& model);

// Features that follow those of compute_features. `offset` is that of the cell or class.
inline constexpr int kContextFeatures = 3;

}  // namespace warploom
