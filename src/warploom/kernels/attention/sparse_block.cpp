#include "warploom/kernels/attention/sparse_block.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

enum Fitted : std::size_t {
  kLaunchSeconds,
  kIndexerSeconds,
  kProductRate,
  kProductDram,
  kScoreRate,
  kChoiceDram,
  kRowRate,
  kAttentionRate,
  kGatherShare,
  kIterationClocks
};
constexpr auto kConstants =
    from_source("centre of the prior: of vLLM's blocks of DeepSeek-V3.2 on H200 in aisimulate, set by hand",
                std::array{
                    ConstantSpec{"launch_seconds", "s", 35e-6, 3e-6, 150e-6, 0.4},
                    ConstantSpec{"indexer_seconds", "s", 30e-6, 2e-6, 150e-6, 0.4},
                    ConstantSpec{"product_rate_share", "1", 0.6, 0.2, 1, 0.2},
                    ConstantSpec{"product_dram_share", "1", 0.75, 0.3, 1, 0.15},
                    ConstantSpec{"score_rate_share", "1", 0.4, 0.05, 1, 0.3},
                    ConstantSpec{"choice_dram_share", "1", 0.3, 0.02, 1, 0.4},
                    ConstantSpec{"row_rate", "B/clock", 32, 3, 300, 0.5},
                    ConstantSpec{"attention_rate_share", "1", 0.55, 0.1, 1, 0.25},
                    ConstantSpec{"gather_share", "1", 0.5, 0.1, 1, 0.3},
                    ConstantSpec{"iteration_clocks", "clocks", 1500, 200, 10000, 0.3},
                });

constexpr double kOverlap = 3;  // power of the sums of compute and memory

void price_products(const SparseBlock& block, const GpuSpec& gpu, const BaseConstants& fitted,
                    SparseBlockParts& parts) {
  for (const Gemm& product : block.products) {
    const Work work = gemm_work(product);
    const double flop = work.matrix_flop.value(), bytes = work.unique_bytes().value();
    const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(product.scheme))).value();
    parts.product_flop += flop;
    parts.product_bytes += bytes;
    parts.projections += power_sum(flop / (fitted[kProductRate] * rate),
                                   bytes / (fitted[kProductDram] * gpu.memory_bandwidth.value()), kOverlap);
  }
}

double score_bytes(const SparseBlock& block) {
  return kScoreBytes * block.scores_of_pair * block.sums.scored;
}

void price_indexer(const SparseBlock& block, const GpuSpec& gpu, const BaseConstants& fitted,
                   SparseBlockParts& parts) {
  parts.launch += fitted[kIndexerSeconds];
  const double dram = gpu.memory_bandwidth.value();
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, block.index_type)).value();
  parts.score_flop = 2 * block.sums.scored * block.index_width;
  const double rows = score_bytes(block);
  parts.score_bytes = block.sums.index_keys * block.index_key_bytes + rows;
  if (parts.score_bytes <= 0) return;  // no query sees an entry yet
  parts.scores = power_sum(parts.score_flop / (fitted[kScoreRate] * rate),
                           parts.score_bytes / (fitted[kProductDram] * dram), kOverlap);
  if (rows <= 0) return;
  const double rounds = std::ceil(block.sums.queries / double(gpu.sm_count));
  const double row_rate = fitted[kRowRate] * clock_under_load(gpu, ClockRule::DataSheet).hertz;
  const double longest = kScoreBytes * block.scores_of_pair * block.sums.longest_row;
  parts.choice = power_sum(rows / (fitted[kChoiceDram] * dram), rounds * longest / row_rate, kOverlap);
}

void price_attention(const SparseBlock& block, const GpuSpec& gpu, const BaseConstants& fitted,
                     SparseBlockParts& parts) {
  const SparseBlockSums& sums = block.sums;
  const double sms = double(gpu.sm_count);
  parts.flop = block.pair_flop * sums.chosen;
  const double tiles = sums.queries * block.tiles_of_query;
  parts.iterations = std::max(std::ceil(sums.longest_slots / kSparseTile), 1.0);
  const double splits = std::clamp(std::floor(sms / tiles), 1.0, parts.iterations);
  parts.tasks = tiles * splits;
  const double schedule = std::ceil(parts.tasks / sms) * std::ceil(parts.iterations / splits) *
                          fitted[kIterationClocks] / clock_under_load(gpu, ClockRule::DataSheet).hertz;
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, block.compute)).value();
  const double padded = block.pair_flop * sums.slots * block.padding;
  parts.compute = power_sum(padded / (fitted[kAttentionRate] * rate), schedule, kOverlap);
  parts.memory =
      sums.unique_bytes / (fitted[kProductDram] * gpu.memory_bandwidth.value()) +
      (sums.gathered_bytes - sums.unique_bytes) / (fitted[kGatherShare] * gpu.l2_bandwidth.value());
}

}  // namespace

std::span<const ConstantSpec> sparse_block_constants() { return kConstants; }

SparseBlockParts sparse_block_parts(const SparseBlock& block, const GpuSpec& gpu,
                                    const BaseConstants& fitted) {
  SparseBlockParts parts{.launch = fitted[kLaunchSeconds], .sums = block.sums};
  price_products(block, gpu, fitted, parts);
  if (block.indexer) price_indexer(block, gpu, fitted, parts);
  price_attention(block, gpu, fitted, parts);
  parts.seconds = parts.launch + parts.projections + parts.scores + parts.choice +
                  power_sum(parts.compute, parts.memory, kOverlap);
  return parts;
}

StructuralPrice sparse_block_price(const SparseBlockParts& parts, const GpuSpec& gpu) {
  const double waves = parts.tasks / double(gpu.sm_count);
  return {.seconds = parts.seconds,
          .launch = parts.launch,
          .passes = parts.projections + parts.scores + parts.choice,
          .compute = parts.compute,
          .memory = parts.memory,
          .overlap = kOverlap,
          .balance = 1 / wave_fill(waves),
          .again = 1 - parts.sums.unique_bytes / parts.sums.gathered_bytes,
          .tile_rows = kSparseTile,
          .tile_columns = kSparseTile,
          .tasks = parts.tasks,
          .waves = waves};
}

Work sparse_block_work(const SparseBlock& block, std::int64_t hidden) {
  Work work;
  for (const Gemm& product : block.products) {
    work.matrix_flop += gemm_work(product).matrix_flop;
    work.weight_bytes += gemm_work(product).weight_bytes;
  }
  work.matrix_flop += Flop(block.pair_flop * block.sums.chosen);
  work.launches = kSparseLaunches;
  if (block.indexer) {
    work.matrix_flop += Flop(2 * block.sums.scored * block.index_width);
    work.cache_bytes += Bytes(block.sums.index_keys * block.index_key_bytes);
    work.scratch_bytes = Bytes(score_bytes(block));
    work.launches += kIndexerLaunches;
  }
  const double row = block.sums.queries * double(hidden) * bytes_per_element(DataType::Bf16);
  work.input_bytes = Bytes(row);
  work.output_bytes = Bytes(row);
  return work;
}

void raise_sparse_block(BoundLimit& limit, const SparseBlock& block, DataType kv_cache, const GpuSpec& gpu) {
  double seconds = 0;
  for (const Gemm& product : block.products) seconds += fastest_product_seconds(product, gpu);
  seconds += seconds_at_peak(block.pair_flop * block.sums.chosen,
                             fastest_attention_rate(block.compute, kv_cache, gpu), gpu);
  if (block.indexer && block.sums.scored > block.sums.chosen)
    seconds += seconds_at_peak(2 * block.sums.scored * block.index_width,
                               tensor_rate_per_clock(gpu, DataType::NvFp4), gpu);
  limit.raise(seconds, Bound::Tensor);
}

void profile_sparse_block(ProfileBuilder& builder, const SparseBlock& block, const Work& work) {
  Work rest = work;
  for (const Gemm& product : block.products) {
    builder.add_projection(product);
    rest.matrix_flop -= gemm_work(product).matrix_flop;
    rest.weight_bytes -= gemm_work(product).weight_bytes;
  }
  builder.add_stream(rest, "sparse attention");
  TaskGrid& grid = builder.parts.sequence.kernels[builder.parts.sequence.size - 1];
  grid.tensor_rate = tensor_rate_per_clock(builder.gpu, block.compute);
  grid.per_task.tensor_flop = rest.matrix_flop.value() / grid.tasks();
}

double sum_of_steps(std::int64_t n, std::int64_t step, std::int64_t most) {
  const double limit = double(most) * double(step);
  const std::int64_t rising = most > 0 && double(n) >= limit ? most * step - 1 : n;
  const double full = double(rising / step), rest = double(rising % step);
  const double sum = double(step) * full * (full - 1) / 2 + full * (rest + 1);
  return sum + double(most) * double(n - rising);
}

}  // namespace warploom
