// Features of a fused mixture of experts: shares of the base, waves and padding of the grouped products,
// spread of the routing, what fits L2; then sizes.
#include <algorithm>

#include "warploom/base/hash.h"
#include "warploom/kernels/moe/moe_base.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

// Medians of a residual's size, beyond which it counts as that much: a twentieth of TensorRT-LLM's rows took
// a bad cached tactic, up to nine times slower, and bent the trees for all others.
constexpr double kBound = 2;

constexpr double kMostWaves = 32;
constexpr std::array<std::size_t, 3> kShownHeights{0, 2, 3};  // of kMoeHeights: 16, 64, 128 rows
constexpr std::array<std::size_t, 3> kShownBlocks{1, 3, 4};   // the same in kRowBlocks

void add_tiles(const FusedMoe& op, const GpuSpec& gpu, const RoutingLoad& load, const MoeSizes& sizes,
               const MoeBase& base, OperatorFeatures& row) {
  const double outputs = sizes.gate_outputs > 0 ? sizes.gate_outputs : sizes.down_outputs;
  const double sms = double(gpu.sm_count);
  for (std::size_t i = 0; i < kShownHeights.size(); ++i) {
    const double tiles = std::max(load.row_tiles[kShownBlocks[i]], 1e-3);
    const double waves = tiles * ceil_div(outputs, 128) / sms;
    row.add_log2(base.by_height[kShownHeights[i]] / base.total);
    row.add(std::min(waves, kMostWaves));
    row.add_part(wave_fill(waves));
    row.add_log2(tiles * double(kRowBlocks[kShownBlocks[i]]) / std::max(load.pairs, 0.05));
  }
  const double down = std::max(load.row_tiles[3], 1e-3) * ceil_div(double(op.hidden), 128) / sms;
  row.add(std::min(down, kMostWaves));
  row.add_part(wave_fill(down));
}

void add_routing(const RoutingLoad& load, const MoeSizes& sizes, OperatorFeatures& row) {
  const double hit = std::max(load.experts_hit, 1e-2), pairs = std::max(load.pairs, 1e-2);
  row.add_log2(pairs / sizes.held);
  row.add(load.experts_hit / sizes.held);
  row.add_log2(pairs / hit);
  row.add(load.busiest_pairs * hit / pairs);
  row.add_log2(hit);
  row.add_log2(pairs);
  row.add(load.random_hit / sizes.held);
}

void add_sizes(const FusedMoe& op, const MoeSizes& sizes, OperatorFeatures& row) {
  const double tokens = double(op.tokens), choices = tokens * double(op.top_k);
  row.add_layer_log2(tokens);
  row.add(double(op.top_k));
  row.add_layer_log2(double(op.experts));
  row.add_layer_log2(double(op.hidden));
  row.add_layer_log2(sizes.width);
  row.add_layer_log2(double(op.intermediate));
  row.add_log2(double(op.tensor_parallel));
  row.add_log2(double(op.expert_parallel));
  row.add_log2(sizes.held);
  row.add(op.routing == RoutingKind::PowerLaw ? op.routing_alpha : 0.0);
  row.add_log2(choices);
  row.add_log2(choices / double(op.experts));
  row.add_layer_log2(choices / double(op.expert_parallel));
}

std::uint32_t layer_of_experts(const FusedMoe& op) {
  std::uint64_t hash = 7;
  for (const std::int64_t size : {op.hidden, op.intermediate, op.top_k, op.experts})
    hash = hash_combine(hash, std::uint64_t(size));
  return std::max(std::uint32_t(hash >> 32), std::uint32_t(1));
}

void add_moe(const FusedMoe& op, const FeatureInput& input, OperatorFeatures& row) {
  const GpuSpec& gpu = input.gpu;
  const ContextKernel& kernel = input.kernel;
  row.routing = kernel.routing != nullptr ? kernel.routing->find(op) : routing_load(op);
  const RankWorkload work = rank_workload(op, row.routing, kernel);
  const RoutingLoad& load = work.load;
  const MoeSizes sizes = moe_sizes(op, load);
  const MoeBase base = moe_base(op, gpu, kernel.known, work, sizes, input.sustained, input.fitted);
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(op.scheme))).value();
  const double l2 = gpu.l2_capacity.value(), hidden = double(op.hidden);
  row.log_base = std::log(base.total);
  row.layer = layer_of_experts(op);
  row.add(int(op.scheme == MatmulScheme::Fp16 ? MatmulScheme::Bf16 : op.scheme));
  row.add(op.gated ? 1 : 0);
  row.add(int(op.pass));
  row.add(double(kernel.known));
  row.add_log2(base.total);
  row.add(base.launch / base.total);
  row.add_log2(base.products / base.total);
  row.add_log2(base.weights / base.total);
  row.add_log2(base.pairs_moved / base.total);
  row.add_log2(base.choices_moved / base.total);
  row.add_log2(base.products / base.weights);
  row.add_log2(2 * load.pairs * sizes.expert_weights / rate / base.total);
  row.add_log2(sizes.weight_bytes / l2);
  row.add_log2(load.pairs * (hidden * 2 + sizes.width * 4) / l2);
  row.add_log2(work.choices * hidden * 2 / l2);
  add_tiles(op, gpu, load, sizes, base, row);
  add_routing(load, sizes, row);
  add_sizes(op, sizes, row);
  if (kernel.hints.cold_operands) row.cold = base.cold_total - base.total;
}

constexpr FeatureSource source() {
  FeatureSource source = feature_source<FusedMoe, add_moe>({.trees = 312, .eta = 0.25, .bound = kBound});
  source.layer = [](const Operator& op) { return layer_of_experts(*std::get_if<FusedMoe>(&op)); };
  return source;
}

constexpr std::array kSources{source()};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kMoeFeatures = features::kSources;
}  // namespace warploom
