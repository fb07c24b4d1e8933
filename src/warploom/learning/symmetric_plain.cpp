// Any processor. Vectors of 16 bytes, which compilers turn into whatever there is.
#include "warploom/learning/symmetric_ensemble.h"

namespace warploom::symmetric {
namespace {

using Floats = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));
using Bytes = std::uint8_t __attribute__((vector_size(16)));
constexpr std::size_t kParts = kRowBlock / sizeof(Bytes);
using BlockBins = std::array<std::array<Bytes, kParts>, 64>;

// Numbers of cuts at or below each of 16 values.
Bytes count_cuts(const float* values, const float* cuts, std::size_t count) {
  Floats a, b, c, d;
  __builtin_memcpy(&a, values, sizeof a);
  __builtin_memcpy(&b, values + 4, sizeof b);
  __builtin_memcpy(&c, values + 8, sizeof c);
  __builtin_memcpy(&d, values + 12, sizeof d);
  Ints below[4] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const Floats cut = {cuts[i], cuts[i], cuts[i], cuts[i]};
    below[0] -= a >= cut;
    below[1] -= b >= cut;
    below[2] -= c >= cut;
    below[3] -= d >= cut;
  }
  Bytes bins;
  for (std::size_t i = 0; i < sizeof bins; ++i) bins[i] = std::uint8_t(below[i / 4][i % 4]);
  return bins;
}

}  // namespace

std::int32_t sum_plain(const Plan& plan, const FeatureRow& row) {
  Bins bins{};
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const float x = row.values[plan.slots[i]];
    std::int32_t below = 0;
    for (std::uint32_t c = plan.cut_start[i]; c < plan.cut_start[i + 1]; ++c)
      below += x >= plan.cuts[c] ? 1 : 0;
    bins[i] = std::uint8_t(below);
  }
  std::int32_t sum = 0;
  for (std::size_t t = 0; t < plan.trees && plan.scales[t] != 0; ++t) {
    const SymmetricTree::Question* questions = plan.questions.data() + t * kSymmetricDepth;
    std::size_t leaf = 0;
    for (std::size_t q = 0; q < kSymmetricDepth; ++q)
      leaf |= std::size_t(bins[questions[q].input] > questions[q].cut) << q;
    sum += plan.scales[t] * plan.leaves[(t << kSymmetricDepth) + leaf];
  }
  return sum;
}

void sum_block_plain(const Plan& plan, const FeatureBlock& block, std::span<std::int32_t, kRowBlock> sums) {
  BlockBins bins;
  for (std::size_t i = 0; i < plan.slots.size(); ++i)
    for (std::size_t p = 0; p < kParts; ++p)
      bins[i][p] =
          count_cuts(block.slots[plan.slots[i]].data() + p * sizeof(Bytes),
                     plan.cuts.data() + plan.cut_start[i], plan.cut_start[i + 1] - plan.cut_start[i]);
  for (std::int32_t& sum : sums) sum = 0;
  for (std::size_t t = 0; t < plan.trees && plan.scales[t] != 0; ++t) {
    const SymmetricTree::Question* questions = plan.questions.data() + t * kSymmetricDepth;
    alignas(16) std::array<Bytes, kParts> number{};
    for (std::size_t q = 0; q < kSymmetricDepth; ++q) {
      const auto answer = std::uint8_t(1U << q);
      const Bytes cut = Bytes{} + questions[q].cut, bit = Bytes{} + answer;
      for (std::size_t p = 0; p < kParts; ++p) number[p] |= Bytes(bins[questions[q].input][p] > cut) & bit;
    }
    std::array<std::uint8_t, kRowBlock> leaf;
    __builtin_memcpy(leaf.data(), number.data(), sizeof leaf);
    const std::int8_t* leaves = plan.leaves.data() + (t << kSymmetricDepth);
    const std::int32_t scale = plan.scales[t];
    for (std::size_t r = 0; r < kRowBlock; ++r) sums[r] += scale * leaves[leaf[r]];
  }
}

}  // namespace warploom::symmetric
