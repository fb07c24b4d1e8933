// A block of attention over a window and a compressed cache (DeepSeek-V4, V4.1), with its projections.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

struct BaseConstants;
struct GpuSpec;
struct SparseBlockParts;

// A whole block as engines measure it: low-rank query and one key of all heads, the compressor that joins
// `compress_ratio` tokens to one cached entry, attention to the last `window` tokens and to chosen entries,
// grouped low-rank output projection. With an indexer, a query scores every entry that it sees and attends to
// the best `top_k`. The kinds of layers are values of four fields:
//   V4's CSA      compress_ratio 4, top_k, indexer           (V4.1: full, of ratio 2 and 1)
//   V4's HCA      compress_ratio 128, top_k 0: all entries
//   V4.1 reindex  indexer, no compressor: scores a cache that an earlier layer filled
//   V4.1 reuse    neither: attends to what an earlier layer chose of its cache
//   window alone  compress_ratio 0
// Heads and output groups are those of this GPU. Defaults are a CSA layer of DeepSeek-V4-Flash.
struct CompressedAttention {
  static constexpr std::array kNames{FamilyName{Family{24}, "compressed_attention"}};
  static const OperatorFamily kFamily;

  MatmulScheme projections = MatmulScheme::Bf16;
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;  // fp8: the rotary part stays in 16 bits, a scale for 64 others
  bool decode = false;
  bool compressor = true;
  bool indexer = true;
  std::int64_t hidden = 4096;
  std::int64_t q_lora_rank = 1024;
  std::int64_t heads = 64;
  std::int64_t head_dim = 512, rope_head_dim = 64;  // the rotary part is within head_dim
  std::int64_t o_groups = 8, o_lora_rank = 1024;
  std::int64_t window = 128;
  std::int64_t compress_ratio = 4;
  std::int64_t top_k = 512;
  std::int64_t index_heads = 64, index_dim = 128;
  std::int64_t candidates = 0;  // entries that an indexer scores at most; 0: all that a query sees
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// The parts of its structural time, for its price and for its learner. Expects a checked operator. O(groups
// of requests), no allocation.
SparseBlockParts compressed_attention_parts(const CompressedAttention& op, const GpuSpec& gpu,
                                            const BaseConstants& fitted);

}  // namespace warploom
