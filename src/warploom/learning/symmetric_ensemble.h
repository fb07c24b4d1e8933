// Answers of symmetric trees: one row, or blocks of 64 rows of which each instruction serves many.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "warploom/base/vector_unit.h"
#include "warploom/learning/feature_row.h"
#include "warploom/learning/symmetric_trees.h"

namespace warploom {

inline constexpr std::size_t kRowBlock = 64;

// Features of up to 64 rows, slot by slot. Rows that are not used must hold numbers all the same.
struct alignas(64) FeatureBlock {
  std::array<std::array<float, kRowBlock>, kMaxFeatures + 1> slots{};
};

class SymmetricEnsemble {
 public:
  SymmetricEnsemble() = default;
  // The trees must keep the limits that decode_symmetric checks.
  explicit SymmetricEnsemble(const SymmetricTrees& trees, VectorUnit unit = best_vector_unit());

  // Sum of the leaves. No allocation; 100 to 400 ns for 300 trees.
  double predict(const FeatureRow& row) const;
  // The same sums for a block; 20 to 100 ns a row.
  void predict(const FeatureBlock& block, std::span<double, kRowBlock> sums) const;

  std::size_t tree_count() const { return trees_; }

  // What the instructions work on.
  struct Plan {
    // By input: its slot, and its cuts filled up to a multiple of 16 with infinity.
    std::vector<std::uint8_t> slots;
    std::vector<std::uint32_t> cut_start;  // one more than inputs
    std::vector<float> cuts;
    // By tree, filled up to a multiple of 64 with trees worth nothing: eight questions, 256 leaves, a scale.
    // A question that is not there has a cut that no value reaches.
    std::vector<SymmetricTree::Question> questions;
    std::vector<std::int8_t> leaves;
    std::vector<std::int16_t> scales;
    std::vector<std::uint8_t> inputs_by_level,
        cuts_by_level;      // [group of 64 trees][question][tree of the group]
    std::size_t trees = 0;  // filled up
  };

 private:
  Plan plan_;
  std::size_t trees_ = 0;
  VectorUnit unit_ = VectorUnit::Plain;
};

// One implementation each; defined in symmetric_<unit>.cpp.
namespace symmetric {
using Plan = SymmetricEnsemble::Plan;
using Bins = std::array<std::uint8_t, 64>;  // of one row, by input

std::int32_t sum_plain(const Plan& plan, const FeatureRow& row);
std::int32_t sum_avx2(const Plan& plan, const FeatureRow& row);
std::int32_t sum_avx512(const Plan& plan, const FeatureRow& row);
void sum_block_plain(const Plan& plan, const FeatureBlock& block, std::span<std::int32_t, kRowBlock> sums);
void sum_block_avx2(const Plan& plan, const FeatureBlock& block, std::span<std::int32_t, kRowBlock> sums);
void sum_block_avx512(const Plan& plan, const FeatureBlock& block, std::span<std::int32_t, kRowBlock> sums);
}  // namespace symmetric

}  // namespace warploom
