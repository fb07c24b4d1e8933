// The rows of each library's kernel: what one network of a published method learns from.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "warploom/baselines/baseline.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

// Rows by Circle::Library, an even draw of at most `most` each, in row order; fewer than `fewest` are left
// out.
std::map<std::uint64_t, std::vector<std::uint32_t>> rows_by_library(const BaselineRows& rows,
                                                                    const GpuCatalog& catalog,
                                                                    std::size_t fewest, std::size_t most);

inline constexpr std::size_t kFewestNetworkRows = 50;
inline constexpr std::size_t kMostNetworkRows = 8000;

}  // namespace warploom::baselines
