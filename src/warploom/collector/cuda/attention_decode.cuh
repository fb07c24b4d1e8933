// One new token of each request against a paged cache, all heads of a group together, keys split over blocks
// (flash decoding).
#pragma once

#include <cuda_bf16.h>

namespace warploom::collector {

inline constexpr int kPageTokens = 16;

// queries, output [requests, heads, dim]; cache pages [page, kPageTokens, kv_heads, dim], keys and values
// apart; pages [requests, ceil(tokens / kPageTokens)]. partial [requests, heads, splits, dim + 2] floats when
// splits > 1.
struct DecodeArguments {
  const __nv_bfloat16 *queries, *keys, *values;
  const int* pages;
  __nv_bfloat16* output;
  float* partial;
  int requests, tokens, heads, kv_heads, dim, splits;
};

// Blocks enough for every multiprocessor, but none with fewer than 256 keys.
int decode_splits(int requests, int tokens, int heads, int kv_heads, int sm_count);
void launch_decode(const DecodeArguments& arguments, cudaStream_t stream);

}  // namespace warploom::collector
