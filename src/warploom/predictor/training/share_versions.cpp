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

std::vector<SharedCell> share_versions(const FamilyModel& model, const TrainingTable& table) {
  using Kernel = std::tuple<std::string, std::string, std::uint16_t, bool>;
  std::map<std::uint32_t, Targets> targets;
  for (std::size_t r = 0; r < table.rows(); ++r) targets[table.cell[r]][table.shape[r]] = table.target[r];
  std::map<Kernel, std::vector<std::uint32_t>> kernels;
  for (const auto& [cell, of] : targets) {
    const CellRecord& record = model.cells[cell];
    const ContextRecord& context = model.contexts[record.context];
    kernels[{context.framework, context.kernel, record.kind, record.launch_bound}].push_back(cell);
  }
  std::vector<SharedCell> shared;
  for (auto& [kernel, cells] : kernels) {
    std::stable_sort(cells.begin(), cells.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return targets[a].size() > targets[b].size(); });
    std::vector<std::uint32_t> leaders;
    for (const std::uint32_t cell : cells) {
      std::optional<double> above;
      for (std::size_t i = 0; i < leaders.size() && !above; ++i)
        if ((above = alike_by(targets[cell], targets[leaders[i]])))
          shared.push_back({cell, leaders[i], *above});
      if (!above) leaders.push_back(cell);
    }
  }
  return shared;
}

}  // namespace warploom
