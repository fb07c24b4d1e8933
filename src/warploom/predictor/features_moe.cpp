// Fused MoE: two grouped GEMMs whose tiles are padded per expert, on the busiest rank.
#include "warploom/predictor/feature_parts.h"

namespace warploom::features {

void add_moe(const FusedMoe& op, const GpuSpec& gpu, FeatureRow& row) {
  const double tokens = double(op.tokens), top_k = double(op.top_k), experts = double(op.experts);
  const double hidden = double(op.hidden), ranks = double(op.expert_parallel),
               split = double(op.tensor_parallel);
  const double width = double(op.intermediate) / split, local_experts = experts / ranks;
  const double alpha = op.routing == RoutingKind::PowerLaw ? op.routing_alpha : 0.0;
  const double weight_bytes = bytes_per_element(weight_type(op.scheme));
  const double sms = double(gpu.sm_count), clock = gpu.boost_clock.value(),
               bandwidth = gpu.memory_bandwidth.value();
  const double rate = tensor_rate_per_clock(gpu, math_type(op.scheme));
  const double gate_outputs = (op.pass == MoePass::Down ? 0.0 : (op.gated ? 2.0 : 1.0)) * width;
  const double down_outputs = op.pass == MoePass::GateUp ? 0.0 : hidden;
  const double matrices = (gate_outputs * hidden + down_outputs * width);  // weights of one expert

  // Skewed routing: the busiest rank carries up to 2.5 times the mean; fewer experts are hit.
  const double skew = alpha > 0 ? std::min(1 + 1.5 * (1 - 1 / ranks), ranks) : 1.0;
  const double pairs = std::max(tokens * top_k / ranks * skew, 1.0);
  const double per_expert = pairs / local_experts;
  const double spread =
      alpha > 0 ? local_experts * (1 - std::pow(1 + per_expert / 0.7, -0.7)) : std::min(local_experts, pairs);
  const double hit = std::max(spread, 1.0);
  const double weights = hit * matrices * weight_bytes;
  const double activations = pairs * (hidden * 2 + width * 4) + tokens * hidden * 4;
  const double math = 2 * pairs * matrices / (rate * sms * clock);
  const double memory = (weights + activations) / bandwidth;

  struct Block {
    double rows, saturation;  // saturation: sqrt(rows / 128)
  };
  constexpr std::array<Block, 4> kBlocks{{{16, 0.354}, {32, 0.5}, {64, 0.707}, {128, 1.0}}};
  std::array<double, kBlocks.size()> seconds{}, waves{};
  double least = 1e30;
  for (std::size_t i = 0; i < kBlocks.size(); ++i) {
    const double rows = kBlocks[i].rows;
    const double padded = std::max(
        hit, ceil_div(per_expert, rows) * local_experts * (per_expert < 1 ? hit / local_experts : 1.0));
    const double per_k =
        std::max(2 * rows * 128 / (rate * 0.7 * kBlocks[i].saturation), (rows + 128) * weight_bytes / 80) +
        22.0 / 64;
    const auto pass = [&](double outputs, double depth) {
      if (outputs <= 0) return 0.0;
      return std::ceil(padded * ceil_div(outputs, 128) / sms) * (per_k * depth + 1500);
    };
    seconds[i] = (pass(gate_outputs, hidden) + pass(down_outputs, width)) / clock;
    waves[i] =
        padded *
        std::max(ceil_div(gate_outputs, 128), ceil_div(down_outputs, 128) * (gate_outputs > 0 ? 0.0 : 1.0)) /
        sms;
    least = std::min(least, seconds[i]);
  }
  const double base = 15e-6 + power_sum(least, memory / 0.8, 3);
  row.log_base = std::log(base);
  row.add(int(op.scheme == MatmulScheme::Fp16 ? MatmulScheme::Bf16 : op.scheme));
  row.add(op.gated ? 1 : 0);
  row.add(int(op.pass));
  for (std::size_t i = 0; i < kBlocks.size(); ++i) {
    row.add_log2(seconds[i] / base);
    row.add(std::min(waves[i], 32.0));
    row.add(wave_fill(waves[i]));
  }
  row.add_log2(base);
  row.add_log2(math / base);
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
  row.add_log2(per_expert);
  row.add(hit / local_experts);
  row.add_log2(pairs);
  row.add_log2(weights / gpu.l2_capacity.value());
  row.add_log2(activations / gpu.l2_capacity.value());
  row.add_log2(tokens * top_k / experts);
  row.add_log2(tokens * top_k);
  row.add_log2(tokens * top_k / ranks);
}

}  // namespace warploom::features
