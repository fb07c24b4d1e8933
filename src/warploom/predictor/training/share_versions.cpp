#include "warploom/predictor/training/share_versions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "warploom/base/statistics.h"

namespace warploom {
namespace {

using Targets = std::unordered_map<std::uint64_t, float>;  // by shape

// The median of ln(of / beside) over equal shapes where the two are alike.
std::optional<double> alike_by(const Targets& of, const Targets& beside) {
  std::vector<double> differences;
  for (const auto& [shape, target] : of)
    if (const auto at = beside.find(shape); at != beside.end())
      differences.push_back(double(target) - double(at->second));
  if (differences.size() < kFewestCommon) return std::nullopt;
  const double middle = quantile(differences, 0.5);
  for (double& d : differences) d = std::abs(d - middle);
  if (mean(differences) > kAlikeMean || quantile(differences, 0.5) > kAlikeMedian) return std::nullopt;
  return middle;
}

}  // namespace

void share_versions(FamilyJob& job, const TrainingTable& table, CellOffsets& offsets) {
  using Kernel = std::tuple<std::string, std::string, std::uint16_t, bool>;
  std::map<std::uint32_t, Targets> targets;
  for (std::size_t r = 0; r < table.rows(); ++r) targets[table.cell[r]][table.shape[r]] = table.target[r];
  std::map<Kernel, std::vector<std::uint32_t>> kernels;
  for (const auto& [cell, of] : targets) {
    const CellRecord& record = job.model.cells[cell];
    const ContextRecord& context = job.model.contexts[record.context];
    kernels[{context.framework, context.kernel, record.kind, record.launch_bound}].push_back(cell);
  }
  for (auto& [kernel, cells] : kernels) {
    std::stable_sort(cells.begin(), cells.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return targets[a].size() > targets[b].size(); });
    std::vector<std::uint32_t> leaders;
    for (const std::uint32_t cell : cells) {
      for (const std::uint32_t leader : leaders) {
        const std::optional<double> ratio = alike_by(targets[cell], targets[leader]);
        if (!ratio) continue;
        job.leader[cell] = leader;
        offsets.offset[cell] = offsets.offset[leader] + float(*ratio);
        break;
      }
      if (job.leader[cell] == cell) leaders.push_back(cell);
    }
  }
}

}  // namespace warploom
