#include "warploom/learning/symmetric_ensemble.h"

#include <algorithm>
#include <limits>

namespace warploom {
namespace {

constexpr std::uint8_t kNeverReached = 255;
constexpr std::size_t kTreeGroup = 64;
constexpr std::size_t kCutGroup = 16;

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

}  // namespace

SymmetricEnsemble::SymmetricEnsemble(const SymmetricTrees& trees, VectorUnit unit)
    : trees_(trees.trees.size()), unit_(unit) {
  plan_.slots = trees.slots;
  for (const std::vector<float>& cuts : trees.cuts) {
    plan_.cut_start.push_back(std::uint32_t(plan_.cuts.size()));
    plan_.cuts.insert(plan_.cuts.end(), cuts.begin(), cuts.end());
    plan_.cuts.resize(round_up(plan_.cuts.size(), kCutGroup), std::numeric_limits<float>::infinity());
  }
  plan_.cut_start.push_back(std::uint32_t(plan_.cuts.size()));
  plan_.trees = round_up(trees_, kTreeGroup);
  plan_.questions.assign(plan_.trees * kSymmetricDepth, {0, kNeverReached});
  plan_.leaves.assign(plan_.trees << kSymmetricDepth, 0);
  plan_.scales.assign(plan_.trees, 0);
  plan_.inputs_by_level.assign(plan_.questions.size(), 0);
  plan_.cuts_by_level.assign(plan_.questions.size(), kNeverReached);
  for (std::size_t t = 0; t < trees_; ++t) {
    const SymmetricTree& tree = trees.trees[t];
    plan_.scales[t] = tree.scale;
    std::copy(tree.leaves.begin(), tree.leaves.end(),
              plan_.leaves.begin() + std::ptrdiff_t(t << kSymmetricDepth));
    for (std::size_t q = 0; q < tree.questions.size(); ++q) {
      plan_.questions[t * kSymmetricDepth + q] = tree.questions[q];
      const std::size_t at = (t / kTreeGroup * kSymmetricDepth + q) * kTreeGroup + t % kTreeGroup;
      plan_.inputs_by_level[at] = tree.questions[q].input;
      plan_.cuts_by_level[at] = tree.questions[q].cut;
    }
  }
}

double SymmetricEnsemble::predict(const FeatureRow& row) const {
  constexpr VectorVersions kVersions{symmetric::sum_plain, symmetric::sum_avx2, symmetric::sum_avx512};
  return kSymmetricUnit * kVersions.on(unit_)(plan_, row);
}

void SymmetricEnsemble::predict(const FeatureBlock& block, std::span<double, kRowBlock> sums) const {
  constexpr VectorVersions kVersions{symmetric::sum_block_plain, symmetric::sum_block_avx2,
                                     symmetric::sum_block_avx512};
  alignas(64) std::array<std::int32_t, kRowBlock> whole;
  kVersions.on(unit_)(plan_, block, whole);
  for (std::size_t r = 0; r < kRowBlock; ++r) sums[r] = kSymmetricUnit * whole[r];
}

}  // namespace warploom
