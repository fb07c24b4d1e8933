// A block of DeepSeek sparse attention with its projections and its indexer.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

struct BaseConstants;
struct GpuSpec;

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

// Its sums and the parts of its structural time, for its price and for its learner. Seconds.
//   seconds = launch + projections + scores + choice + (compute^3 + memory^3)^(1/3)
struct DsaParts {
  double seconds = 0, launch = 0;
  double projections = 0;  // products around the attention, the indexer's too
  double scores = 0;       // of the indexer, for every query and token that it sees
  double choice = 0;       // of the best ones
  double compute = 0;      // attention to the chosen tokens: tiles of 64 heads in waves over the SMs
  double memory = 0;       // their latents: once from DRAM, then from L2
  double product_flop = 0, product_bytes = 0;
  double score_flop = 0, score_bytes = 0;
  double flop = 0, gathered_bytes = 0, unique_bytes = 0;  // of the attention
  double tasks = 0, iterations = 0;
  // Sums over the requests: queries, tokens in caches, (query, token) pairs seen and chosen.
  double requests = 0, queries = 0, keys = 0, seen = 0, chosen = 0;
  double scored = 0, index_keys = 0;  // pairs and tokens over index_pool
  double longest_keys = 0;
};
// Expects a checked operator. O(groups of requests), no allocation.
DsaParts dsa_parts(const Dsa& op, const GpuSpec& gpu, const BaseConstants& fitted);

}  // namespace warploom
