#include "warploom/baselines/library_rows.h"

#include <algorithm>

#include "warploom/base/hash.h"
#include "warploom/baselines/cell_lookup.h"

namespace warploom::baselines {

std::map<std::uint64_t, std::vector<std::uint32_t>> rows_by_library(const BaselineRows& rows,
                                                                    const GpuCatalog& catalog,
                                                                    std::size_t fewest, std::size_t most) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> libraries;
  const Dataset& dataset = rows.dataset;
  for (const std::uint32_t row : rows.rows) {
    const CircleKeys keys = circle_keys(operator_coordinates(dataset.op(row)), catalog.get(dataset.gpu(row)),
                                        dataset.context(row));
    libraries[keys[std::size_t(Circle::Library)]].push_back(row);
  }
  std::erase_if(libraries, [&](const auto& entry) { return entry.second.size() < fewest; });
  for (auto& [key, chosen] : libraries) {
    if (chosen.size() <= most) continue;
    const auto position = [&](std::uint32_t row) { return hash_combine(dataset.shape(row), row); };
    std::nth_element(chosen.begin(), chosen.begin() + std::ptrdiff_t(most), chosen.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return position(a) < position(b); });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }
  return libraries;
}

}  // namespace warploom::baselines
