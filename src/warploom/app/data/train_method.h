// A published method learned from measured rows and written as a file: `train --method`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/error_summary.h"

namespace warploom {

struct MethodRequest {
  std::string method;  // pipeweave or kernelsight
  std::filesystem::path output;
  std::set<std::string> exclude_gpus;  // canonical
  std::size_t rows_per_gpu = 0;        // of each kernel; 0: all
  double quantile = 0;                 // of pipeweave; 0: the mean
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  std::function<void(std::string_view)> progress;
};

// What was learned of one kernel (of kernelsight: of one family), and its errors on the tenth of the shapes
// that no training sees.
struct MethodTraining {
  std::string kernel;
  std::string learner;  // of kernelsight, that cross-validation chose; empty: none was
  std::size_t rows_learned = 0;
  std::vector<std::string> gpus;  // learned from
  ErrorSummary held_out;
  double efficiency_mean_error = 0;  // |predicted - true| / true of the efficiency; NaN without rows
};

// Throws InvalidInput or IoError on an unknown method, an option that is not the method's and an output that
// cannot be written.
void check_method(const MethodRequest& request);
// Learns from rows that were not chosen as bad, of shapes and GPUs that are not held out, and writes the file
// whole or not at all. Throws InvalidInput when nothing can be learned.
std::vector<MethodTraining> train_method(const MethodRequest& request, const Dataset& dataset,
                                         const GpuCatalog& catalog);

}  // namespace warploom
