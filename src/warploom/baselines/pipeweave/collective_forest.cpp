#include "warploom/baselines/pipeweave/collective_forest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "warploom/learning/boosting.h"

namespace warploom::baselines {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

}  // namespace

bool is_nccl(const KernelContext& context) {
  return context.framework == "nccl" || context.kernel.empty() || context.kernel.starts_with("nccl");
}

CollectiveForest::CollectiveForest(CollectiveKind kind, std::string gpu, std::string trees,
                                   std::string_view where)
    : kind_(kind), gpu_(std::move(gpu)), encoded_(std::move(trees)), ensemble_(encoded_, where) {}

std::string CollectiveForest::train(std::span<const CollectiveRow> rows, std::uint64_t seed) {
  std::vector<float> inputs, targets;
  for (const CollectiveRow& row : rows) {
    inputs.push_back(float(row.bytes));
    inputs.push_back(float(row.ranks));
    targets.push_back(float(row.seconds * kMicrosecondsPerSecond));
  }
  constexpr std::size_t kColumns = 2;
  return encode_trees(grow_forest(inputs, kColumns, targets, {.seed = seed}));
}

double CollectiveForest::seconds(double bytes, double ranks) const {
  FeatureRow row;
  row.clear();
  row.add(bytes);
  row.add(ranks);
  TreeEnsemble::set_guard(row);
  return std::max(0.0, double(ensemble_.predict(row))) / kMicrosecondsPerSecond;
}

}  // namespace warploom::baselines
