// Fused MoE: two grouped GEMMs whose tiles are padded per expert, on the busiest rank.
#include "warploom/predictor/feature_parts.h"

namespace warploom::features {

namespace {

enum Fitted : std::size_t { kLaunchSeconds, kRateShare, kFeedBytesPerCycle, kPrologueCycles, kDramRate };
constexpr std::array kConstants{
    ConstantSpec{"launch_seconds", 15e-6, 3e-6, 80e-6, 0.5},
    ConstantSpec{"rate_share", 0.7, 0.3, 1.1, 0.15},
    ConstantSpec{"feed_bytes_per_cycle", 80, 20, 300, 0.3},
    ConstantSpec{"prologue_cycles", 1500, 200, 8000, 0.4},
    ConstantSpec{"dram_share", 0.8, 0.3, 1, 0.15},
};

// What the busiest rank does.
struct Load {
  double pairs, per_expert, hit;  // token-expert pairs, per local expert, experts with any
};

Load load_of(const FusedMoe& op, double alpha) {
  const double ranks = double(op.expert_parallel), local_experts = double(op.experts) / ranks;
  // Skewed routing: the busiest rank carries up to 2.5 times the mean; fewer experts are hit.
  const double skew = alpha > 0 ? std::min(1 + 1.5 * (1 - 1 / ranks), ranks) : 1.0;
  const double pairs = std::max(double(op.tokens) * double(op.top_k) / ranks * skew, 1.0);
  const double per_expert = pairs / local_experts;
  const double spread =
      alpha > 0 ? local_experts * (1 - std::pow(1 + per_expert / 0.7, -0.7)) : std::min(local_experts, pairs);
  return {pairs, per_expert, std::max(spread, 1.0)};
}

struct Block {
  double rows, saturation;  // saturation: sqrt(rows / 128)
};
constexpr std::array<Block, 4> kBlocks{{{16, 0.354}, {32, 0.5}, {64, 0.707}, {128, 1.0}}};

struct BlockTimes {
  std::array<double, kBlocks.size()> seconds, waves;
  double least = 1e30;
};

// Both grouped products with each height of tile, rows padded per expert.
BlockTimes price_blocks(const FusedMoe& op, const GpuSpec& gpu, const BaseConstants& fitted, const Load& load,
                        double gate_outputs, double down_outputs, double width) {
  const double sms = double(gpu.sm_count), local_experts = double(op.experts) / double(op.expert_parallel);
  const double rate = tensor_rate_per_clock(gpu, math_type(op.scheme));
  const double weight_bytes = bytes_per_element(weight_type(op.scheme));
  BlockTimes times{};
  times.least = 1e30;
  for (std::size_t i = 0; i < kBlocks.size(); ++i) {
    const double rows = kBlocks[i].rows;
    const double used = load.per_expert < 1 ? load.hit / local_experts : 1.0;
    const double padded = std::max(load.hit, ceil_div(load.per_expert, rows) * local_experts * used);
    const double per_k = std::max(2 * rows * 128 / (rate * fitted[kRateShare] * kBlocks[i].saturation),
                                  (rows + 128) * weight_bytes / fitted[kFeedBytesPerCycle]) +
                         22.0 / 64;
    const auto pass = [&](double outputs, double depth) {
      if (outputs <= 0) return 0.0;
      return std::ceil(padded * ceil_div(outputs, 128) / sms) * (per_k * depth + fitted[kPrologueCycles]);
    };
    times.seconds[i] =
        (pass(gate_outputs, double(op.hidden)) + pass(down_outputs, width)) / gpu.boost_clock.value();
    times.waves[i] = padded * ceil_div(gate_outputs > 0 ? gate_outputs : down_outputs, 128) / sms;
    times.least = std::min(times.least, times.seconds[i]);
  }
  return times;
}

}  // namespace

std::span<const ConstantSpec> moe_constants() { return kConstants; }

void add_moe(const FusedMoe& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row) {
  const double tokens = double(op.tokens), top_k = double(op.top_k), experts = double(op.experts);
  const double hidden = double(op.hidden), ranks = double(op.expert_parallel),
               split = double(op.tensor_parallel);
  const double width = double(op.intermediate) / split, local_experts = experts / ranks;
  const double alpha = op.routing == RoutingKind::PowerLaw ? op.routing_alpha : 0.0;
  const double weight_bytes = bytes_per_element(weight_type(op.scheme));
  const double bandwidth = gpu.memory_bandwidth.value();
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(op.scheme))).value();
  const double gate_outputs = (op.pass == MoePass::Down ? 0.0 : (op.gated ? 2.0 : 1.0)) * width;
  const double down_outputs = op.pass == MoePass::GateUp ? 0.0 : hidden;
  const double matrices = gate_outputs * hidden + down_outputs * width;  // weights of one expert
  const Load load = load_of(op, alpha);
  const double weights = load.hit * matrices * weight_bytes;
  const double activations = load.pairs * (hidden * 2 + width * 4) + tokens * hidden * 4;
  const double memory = (weights + activations) / bandwidth;
  const BlockTimes blocks = price_blocks(op, gpu, fitted, load, gate_outputs, down_outputs, width);
  const double base = fitted[kLaunchSeconds] + power_sum(blocks.least, memory / fitted[kDramRate], 3);
  row.log_base = std::log(base);
  row.add(int(op.scheme == MatmulScheme::Fp16 ? MatmulScheme::Bf16 : op.scheme));
  row.add(op.gated ? 1 : 0);
  row.add(int(op.pass));
  for (std::size_t i = 0; i < kBlocks.size(); ++i) {
    row.add_log2(blocks.seconds[i] / base);
    row.add(std::min(blocks.waves[i], 32.0));
    row.add(wave_fill(blocks.waves[i]));
  }
  row.add_log2(base);
  row.add_log2(2 * load.pairs * matrices / rate / base);
  row.add_log2(memory / base);
  row.add_log2(weights / bandwidth / base);
  row.add_log2(tokens);
  row.add(top_k);
  row.add_log2(experts);
  row.add_log2(hidden);
  row.add_log2(width);
  row.add_log2(double(op.intermediate));
  row.add_log2(split);
  row.add_log2(ranks);
  row.add_log2(local_experts);
  row.add(alpha);
  row.add_log2(load.per_expert);
  row.add(load.hit / local_experts);
  row.add_log2(load.pairs);
  row.add_log2(weights / gpu.l2_capacity.value());
  row.add_log2(activations / gpu.l2_capacity.value());
  row.add_log2(tokens * top_k / experts);
  row.add_log2(tokens * top_k);
  row.add_log2(tokens * top_k / ranks);
}

}  // namespace warploom::features
