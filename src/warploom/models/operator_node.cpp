#include "warploom/models/operator_node.h"

namespace warploom {

bool runs_beside_experts(const OperatorNode& node) {
  constexpr std::int64_t kMostTokens = 256;
  if (node.stream != Stream::BesideExperts) return false;
  if (const auto* gemm = std::get_if<Gemm>(&node.op)) return gemm->m <= kMostTokens;
  if (const auto* activation = std::get_if<Activation>(&node.op)) return activation->tokens <= kMostTokens;
  return false;
}

}  // namespace warploom
