#include "warploom/predictor/answer/batch_estimates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "warploom/predictor/answer/estimate_one.h"
#include "warploom/predictor/answer/log_estimate.h"
#include "warploom/predictor/answer/measured_estimate.h"
#include "warploom/predictor/answer/stand_ins.h"
#include "warploom/predictor/answer/unmeasured_routing.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

constexpr std::size_t kPart = 512;                 // operators sorted into groups at a time
constexpr std::uint32_t kOtherRouting = 1U << 30;  // in the key of a group, above families and kinds
constexpr std::size_t kFewestRows = 4;             // for which a block pays

// What a group of operators of one family and kind shares.
struct Group {
  const LoadedFamily* family = nullptr;
  const CellRecord* cell = nullptr;
  const SymmetricEnsemble* trees = nullptr;  // nullptr: no block, one at a time
  std::optional<FeaturePlan> plan;           // when there are trees
  Residency operands = Residency::Warm;
  double doubt = 0;  // doubt_of_version
};

Group group_of(const FamilyLookup& families, const Operator& op, const GpuSpec& gpu,
               const KernelContext& context) {
  Group group;
  group.family = families[std::size_t(family_of(op))].get();
  if (group.family == nullptr || has_unmeasured_routing(op) || stand_in_for(op, context) != nullptr)
    return group;
  const CellIndex::Found found = group.family->index.find(gpu, context, kind_code(op));
  if (found.cell == nullptr || !found.measured || found.other_engine || found.cell->launch_bound)
    return group;
  group.cell = found.cell;
  if (group.family->tables || group.family->curves() != nullptr || group.family->adapted_index(gpu) >= 0)
    return group;
  const CellIndex& index = group.family->index;
  if (index.may_be_replaced(found, context)) return group;
  if (index.newer_eager(found, gpu, context, kind_code(op)).cell != nullptr) return group;
  group.trees = group.family->cell_trees(*found.cell);
  if (group.trees == nullptr) return group;
  const ContextKernel kernel = group.family->kernel(*found.cell).asked_as(context.as_collected);
  group.plan.emplace(op, gpu, kernel, group.family->constants(gpu));
  group.operands = operands_of(kernel);
  group.doubt = doubt_of_version(*group.family, found, context);
  return group;
}

// Rows of a block that are of layers which their cell did not learn from, and the trees that answer them.
struct FreshLayers {
  std::array<bool, kRowBlock> rows{};
  std::size_t count = 0;
  const SymmetricEnsemble* trees = nullptr;
};

// For rows with layer sizes that their cell did not learn from, the trees over all cells of the GPU replace
// those of the cell. `features` is the number of features of a row.
void replace_sums(const Group& group, const FreshLayers& fresh, std::size_t features, FeatureBlock& block,
                  std::array<double, kRowBlock>& sums) {
  const ContextCodes& codes = group.family->index.codes(*group.cell);
  for (const float value : {codes.framework, codes.kernel, group.cell->offset})
    block.slots[features++].fill(value);
  std::array<double, kRowBlock> other;
  fresh.trees->predict(block, other);
  for (std::size_t i = 0; i < kRowBlock; ++i)
    if (fresh.rows[i]) sums[i] = other[i];
}

// At most kRowBlock rows of one group.
void estimate_block(const Group& group, std::span<const Operator> operators, const GpuSpec& gpu,
                    std::span<const std::uint16_t> rows, std::span<LatencyEstimate> results) {
  FeatureBlock block;
  std::array<PhysicalBound, kRowBlock> limits;
  std::array<LogEstimate, kRowBlock> answers;
  std::array<double, kRowBlock> cold{};
  FreshLayers fresh;
  OperatorFeatures row;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Operator& op = operators[rows[i]];
    group.plan->compute(op, row);
    limits[i] = physical_bound(op, gpu, row.routing, group.operands);
    for (std::size_t f = 0; f < std::size_t(row.count); ++f) block.slots[f][i] = row.values[f];
    row.log_base = log_base_with(group.cell->overhead, row);
    if (const SymmetricEnsemble* trees = group.family->new_layer_trees(*group.cell, row)) {
      fresh.rows[i] = true;
      fresh.trees = trees;
      ++fresh.count;
    }
    answers[i] = measured_base(*group.family, *group.cell, row);
    cold[i] = row.cold;
  }
  for (std::size_t f = 0; f < std::size_t(row.count); ++f)
    std::fill(block.slots[f].begin() + std::ptrdiff_t(rows.size()), block.slots[f].end(), 0.0F);
  std::array<double, kRowBlock> sums;
  if (fresh.count < rows.size()) group.trees->predict(block, sums);
  if (fresh.count > 0) replace_sums(group, fresh, std::size_t(row.count), block, sums);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    answers[i].log_p50 += sums[i];
    answers[i].add_cold(cold[i]);
    if (group.doubt > 0) answers[i].doubt(group.doubt);
    results[rows[i]] = finish_estimate(limits[i], answers[i], Tier::Measured);
  }
}

}  // namespace

void estimate_many(const FamilyLookup& families, std::span<const Operator> operators, const GpuSpec& gpu,
                   const KernelContext& context, std::span<LatencyEstimate> results) {
  std::array<std::uint32_t, kPart> keys;
  std::array<std::uint16_t, kRowBlock> rows;
  constexpr std::uint32_t kDone = 0xFFFFFFFF;
  for (std::size_t from = 0; from < operators.size(); from += kPart) {
    const auto part = operators.subspan(from, std::min(kPart, operators.size() - from));
    const auto answers = results.subspan(from, part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      check_operator(part[i], "operator");
      keys[i] = std::uint32_t(family_of(part[i])) << 16 | kind_code(part[i]);
      if (has_unmeasured_routing(part[i])) keys[i] |= kOtherRouting;
    }
    for (std::size_t first = 0; first < part.size(); ++first) {
      const std::uint32_t key = keys[first];
      if (key == kDone) continue;
      const Group group = group_of(families, part[first], gpu, context);
      std::size_t count = 0;
      const auto answer = [&] {
        if (group.trees != nullptr && count >= kFewestRows)
          estimate_block(group, part, gpu, std::span(rows).first(count), answers);
        else
          for (std::size_t i = 0; i < count; ++i)
            answers[rows[i]] = estimate_one(families, part[rows[i]], gpu, context).estimate;
        count = 0;
      };
      for (std::size_t i = first; i < part.size(); ++i) {
        if (keys[i] != key) continue;
        keys[i] = kDone;
        rows[count++] = std::uint16_t(i);
        if (count == kRowBlock) answer();
      }
      answer();
    }
  }
}

}  // namespace warploom
