// Use case `tune fit --cross-gpu`: a table for a GPU on which the kernel was never measured.
#pragma once

#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"

namespace warploom {

struct TuneCrossGpuRequest {
  TileKernel kernel;
  std::string gpu;                   // a name of the catalogue
  std::filesystem::path from_table;  // measured on another GPU, of the same kernel; empty: the record alone
  std::filesystem::path output;      // empty: keep the table in memory alone
  FileScope files = FileScope::machine();  // where names may be paths
  std::string default_config;              // as config_text writes it; empty: 128x128x64/w8/s3 where legal
  static FieldTable describe();
};

// Tables of tier cross_gpu. With `from_table` its kernel counts. Throws as tune_fit and RuntimeTable::open.
TuneFitResult tune_fit_cross_gpu(const TuneCrossGpuRequest& request);

}  // namespace warploom
