// A block of grouped attention to chosen blocks of tokens (MiniMax-M3), with its projections and indexer.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

struct BaseConstants;
struct GpuSpec;
struct SparseBlockParts;

// A whole block as engines measure it: query, key and value projections, norms, the indexer's products and
// scores of every token that a query sees, the choice of the best `top_blocks` blocks of `block` tokens
// (a block counts by its best token), attention to these, output projection. A query that sees fewer blocks
// attends to all of them. Heads are those of this GPU. Defaults are MiniMax-M3's.
struct BlockSparseAttention {
  static constexpr std::array kNames{FamilyName{Family{25}, "block_sparse_attention"}};
  static const OperatorFamily kFamily;

  MatmulScheme projections = MatmulScheme::Bf16;
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  bool decode = false;
  std::int64_t hidden = 6144;
  std::int64_t heads = 64, kv_heads = 4, head_dim = 128;
  std::int64_t index_heads = 4, index_dim = 128;
  std::int64_t block = 128;
  std::int64_t top_blocks = 16;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// The parts of its structural time, for its price and for its learner. Expects a checked operator. O(groups
// of requests), no allocation.
SparseBlockParts block_sparse_parts(const BlockSparseAttention& op, const GpuSpec& gpu,
                                    const BaseConstants& fitted);

}  // namespace warploom
