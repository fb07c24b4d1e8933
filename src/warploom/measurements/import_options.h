// Which rows an import or a store gives, and which of those read are kept.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "warploom/kernels/operator.h"
#include "warploom/measurements/row_corrections.h"
#include "warploom/measurements/slow_rows.h"

namespace warploom {

// Empty lists mean everything. Tables that hold no wanted family are not read.
struct ImportFilter {
  std::vector<Family> families;
  std::vector<std::string> gpus;  // as GpuCatalog::get takes them
};

struct ImportOptions {
  // A row is physically impossible when latency < physical_tolerance * physical bound; 0 keeps every row.
  // Below 1 because data-sheet rates have an uncertainty (clocks above nominal boost, timer ticks).
  double physical_tolerance = 0.85;
  // Where more than this share of a group (framework, version, kernel, GPU, family) is impossible, its other
  // rows measured something else than they say too, and the whole group goes.
  double group_tolerance = 0.05;
  // Rows of equal operator, GPU and context become one: the median latency, the sum of n_samples.
  bool merge_repeats = true;
  // Rows that their publisher or a look at other versions corrected. Not owned; null: none.
  const RowCorrections* corrections = nullptr;
  // Rows that are far slower than their neighbours in every size, alone of all versions and GPUs.
  SlowRowLimits slow_rows;
  std::size_t examples = 3;  // example lines kept for each reason
};

}  // namespace warploom
