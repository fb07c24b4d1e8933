// What the blocks of sparse attention are all described by.
#pragma once

#include "warploom/kernels/attention/sparse_block.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {

// Whether kernels pad what a query attends to; where they do not, slots are no feature of their own.
enum class Slots { Padded, AsChosen };

// log_base and the parts of kernels/attention/sparse_block.h.
inline void add_sparse_block(const SparseBlockParts& parts, double heads, const GpuSpec& gpu,
                             OperatorFeatures& row, Slots slots = Slots::Padded) {
  constexpr double kMostWaves = 64, kNone = 1e-6;  // kNone: the share of a part that a block lacks
  const SparseBlockSums& sums = parts.sums;
  const double seconds = parts.seconds, waves = parts.tasks / double(gpu.sm_count);
  row.log_base = std::log(seconds);
  row.add_log2(seconds);
  row.add_log2(parts.launch / seconds);
  row.add_log2(parts.projections / seconds);
  row.add_log2(parts.scores / seconds + kNone);
  row.add_log2(parts.choice / seconds + kNone);
  row.add_log2(parts.compute / seconds);
  row.add_log2(parts.memory / seconds);
  row.add_log2(sums.queries);
  row.add_log2(sums.requests);
  row.add_log2(sums.queries / sums.requests);
  row.add_log2(heads);
  row.add_log2(sums.queries * heads);
  row.add_log2(sums.longest_keys);
  row.add_log2(sums.seen / sums.queries);
  row.add_log2(sums.chosen / sums.queries);
  if (slots == Slots::Padded) row.add_log2(sums.slots / sums.queries);
  row.add_log2(sums.seen);
  row.add_log2(sums.chosen);
  row.add_log2(sums.keys);
  row.add_log2(parts.flop);
  row.add_log2(parts.product_flop);
  row.add(std::min(waves, kMostWaves));
  row.add_part(wave_fill(waves));
  row.add_log2(sums.gathered_bytes / gpu.l2_capacity.value());
  row.add_log2(parts.score_bytes / gpu.l2_capacity.value() + 1e-9);
}

}  // namespace warploom::features
