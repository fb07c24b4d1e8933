// Use case `tune fit --cross-gpu`: a table for a GPU on which the kernel was never measured.
#pragma once

#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"

namespace warploom {

struct TuneCrossGpuRequest {
  TileKernel kernel;
  std::string gpu;                   // a name of the catalogue
  std::filesystem::path from_table;  // measured on another GPU, of the same kernel; empty: what is known here
  std::int64_t scale_block = 0;      // values of k that share a scale (fp8 in engines); 0: a scale a tensor
  std::filesystem::path output;      // empty: keep the table in memory alone
  FileScope files = FileScope::machine();  // where names may be paths
  std::string default_config;              // as config_text writes it; empty: 128x128x64/w8/s3 where legal
  static FieldTable describe();
};

// Tables of tier cross_gpu. With `from_table` its kernel counts. Without, formulas and correction of the
// reference kernel measured on a GPU of the same generation serve where there are (formula_file.h), scaled by
// the records, else the record alone. Throws as tune_fit and RuntimeTable::open.
TuneFitResult tune_fit_cross_gpu(const TuneCrossGpuRequest& request);

}  // namespace warploom
