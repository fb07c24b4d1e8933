// A mixture of experts.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// How tokens choose experts: all experts alike as nearly as whole pairs allow, a few with most of the pairs,
// or each token at random (as gates of random weights do, and benchmarks that draw their logits).
enum class RoutingKind { Balanced, PowerLaw, Uniform };
template <>
struct EnumNames<RoutingKind> {
  static constexpr std::array<std::pair<RoutingKind, std::string_view>, 3> kNames{
      {{RoutingKind::Balanced, "balanced"},
       {RoutingKind::PowerLaw, "power_law"},
       {RoutingKind::Uniform, "uniform"}}};
};
// Which of the two grouped GEMMs a measurement covers.
enum class MoePass { Both, GateUp, Down };
template <>
struct EnumNames<MoePass> {
  static constexpr std::array<std::pair<MoePass, std::string_view>, 3> kNames{
      {{MoePass::Both, "both"}, {MoePass::GateUp, "gate_up"}, {MoePass::Down, "down"}}};
};

// Fused mixture of experts of one GPU: routing, both grouped GEMMs, activation, weighted sum; no
// communication. tokens, experts, intermediate are those of the whole group and the whole model: this GPU
// holds (experts + redundant_experts) / expert_parallel experts of width intermediate / tensor_parallel.
// Unless routing is balanced this is the busiest rank.
struct FusedMoe {
  static constexpr std::array kNames{FamilyName{Family::Moe, "moe"}};
  static const OperatorFamily kFamily;

  MatmulScheme scheme = MatmulScheme::Bf16;
  std::int64_t tokens = 1;
  std::int64_t hidden = 4096, intermediate = 14336;
  std::int64_t experts = 8, top_k = 2;
  std::int64_t tensor_parallel = 1, expert_parallel = 1;
  RoutingKind routing = RoutingKind::Balanced;
  double routing_alpha = 0.0;  // exponent of PowerLaw
  bool gated = true;           // gate and up projections (SwiGLU kinds)
  MoePass pass = MoePass::Both;
  // Replicas beyond one of each expert, and where experts lie: 0 groups in order; else place_experts, with
  // so many groups of experts, each within one of placement_nodes nodes.
  std::int64_t redundant_experts = 0;
  std::int64_t placement_groups = 0, placement_nodes = 1;
  static FieldTable describe();
};

}  // namespace warploom
