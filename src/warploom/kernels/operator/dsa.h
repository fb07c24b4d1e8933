// A block of DeepSeek sparse attention with its projections and its indexer.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

struct BaseConstants;
struct GpuSpec;
struct SparseBlockParts;

// A whole block as engines measure it: low-rank projections, the indexer's projections, fp8 scores of every
// token that a query sees, the choice of the best `top_k` of them, absorbed latent attention to the chosen
// tokens, output projection. A query that sees fewer tokens than top_k attends to all of them. With an
// `index_pool` above 1 (GLM-5.3-Flash) so many tokens share an index key: they are scored and chosen
// together. Defaults are DeepSeek-V3.2's.
struct Dsa {
  static constexpr std::array kNames{FamilyName{Family{23}, "dsa"}};
  static const OperatorFamily kFamily;

  MatmulScheme projections = MatmulScheme::Bf16;
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  bool decode = false;
  bool indexer = true;  // false: a layer that takes over the choice of an earlier one
  std::int64_t hidden = 7168;
  std::int64_t q_lora_rank = 1536;
  MlaShape shape;
  std::int64_t index_heads = 64, index_dim = 128;
  std::int64_t top_k = 2048;
  std::int64_t index_pool = 1;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// The parts of its structural time, for its price and for its learner. Expects a checked operator. O(groups
// of requests), no allocation.
SparseBlockParts dsa_parts(const Dsa& op, const GpuSpec& gpu, const BaseConstants& fitted);

}  // namespace warploom
