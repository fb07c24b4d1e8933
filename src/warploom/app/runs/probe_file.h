// What `python -m warploom.probe` measured (docs/formats.md).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "warploom/base/file_scope.h"
#include "warploom/base/units.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// One piece of work, over the rounds of a probe.
struct ProbedTime {
  Seconds median{0.0}, mean{0.0}, p10{0.0}, p90{0.0};
};
struct ProbedProduct {
  Gemm op;
  ProbedTime time;
};

struct ProbeFile {
  std::string gpu;            // as the driver names it; empty: none was probed
  std::string measured_at;    // UTC; empty: the probe did not say
  bool virtual_host = false;  // whose cores may be shared with other machines
  std::map<std::string, ProbedTime, std::less<>> times;
  std::vector<ProbedProduct> products;  // of the times, those whose operator is known
  // The largest spread of work that is always the same; without the host's where no other process made it.
  double noise = 0;
};

// Throws IoError; InvalidInput naming the file and what is wrong in it; Unsupported on a newer version.
ProbeFile read_probe(const std::filesystem::path& path);

}  // namespace warploom
