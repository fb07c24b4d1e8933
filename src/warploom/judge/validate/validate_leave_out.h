// Use case `validate kernels --leave-out`: how well kernels are predicted on what training never saw.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/import_data.h"
#include "warploom/app/data/kernel_exclusions.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/judge/validate/compare_baselines.h"
#include "warploom/measurements/error_summary.h"

namespace warploom {

struct LeaveOutRequest {
  MeasurementSource source;
  std::string leave_out;                // "gpu", "generation" (of the catalog), "model" (MoE: hidden size,
                                        // intermediate size, top-k and experts together), "shape" (those
                                        // that no training ever sees, on every GPU) or "version" (of an
                                        // engine, every row of it)
  std::vector<std::string> only;        // names of GPUs, generations, folds or versions; empty: each in turn
  std::int64_t few_shot = 0;            // shapes of each GPU left out that are given back
  std::string few_shot_per = "family";  // or kind: what that number is meant for
  std::int64_t rows_per_gpu = 40000;    // learned from, of each GPU and family
  std::int64_t judged_rows = 3000;      // of each GPU and family that is left out
  std::int64_t fewest_rows = 0;  // of a GPU and family to be left out; 0: as kernel_exclusions.json says
  bool ablate = false;           // also judge the model without its later parts, see ablation.h
  // Methods of the literature by name, learned from the same rows and judged on the same ones.
  std::vector<std::string> baselines;
  FileScope files = FileScope::machine();       // where names may be paths
  std::vector<std::filesystem::path> external;  // predictions of other tools (external_predictions.h)
  std::filesystem::path questions;              // file to write the judged rows to, without their times
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

struct LeftOutErrors {
  std::string family, left_out;  // GPU, generation, version, or a fold of models
  ErrorSummary errors;
  ErrorSummary with_launch_bound;  // the same, judged on launch-bound rows too
  std::vector<std::pair<std::string, ErrorSummary>> gpus, tiers;
  double seconds = 0;
  WorkCost training;
  double answer_microseconds = 0;         // mean time of an answer, one thread
  std::vector<BaselineErrors> baselines;  // as asked for
  std::vector<std::pair<std::string, ErrorSummary>> external;
};

// The errors of one family, all groups together.
struct AblatedErrors {
  std::string family, step;  // "data sheet" (a roofline), then the names of ablation.h
  ErrorSummary errors;
};

struct LeaveOutResult {
  std::vector<LeftOutErrors> groups;                                    // in order of family and name
  std::vector<std::pair<std::string, ErrorSummary>> families;           // rows of all groups together
  std::vector<std::pair<std::string, ErrorSummary>> with_launch_bound;  // the same with those rows
  std::vector<KernelRuleRows> rules;                                    // that kept rows from being judged
  std::vector<AblatedErrors> ablation;                                  // empty unless asked for
  std::string protocol;                                                 // what was done, in words
};

// Trains a predictor per family and group on an even sample of the rows of what is left, fitted constants
// included, and judges rows of the group whose shapes are held out of every training (by models: every row).
// Launch-bound rows and GPUs with few rows are kept out by the rules of
// kernel_exclusions.json, whose rows are counted; figures with launch-bound rows stand beside the others.
// Baselines learn from what is left of the same sample. Throws what the readers and ExternalPredictions
// throw, InvalidInput on an unknown way of leaving out, few_shot with "model", data
// without two groups, or `only` naming none of them.
LeaveOutResult validate_leave_out(const LeaveOutRequest& request);

}  // namespace warploom
