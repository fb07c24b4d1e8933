// Causal attention over whole rows of queries: blocks of 128 queries, 64 keys at a time, after
// FlashAttention-2.
#pragma once

#include <cuda_bf16.h>

namespace warploom::collector {

// queries, output [requests * query_tokens, heads, dim]; keys, values [requests * keys, kv_heads, dim] with
// keys = context + query_tokens of each request. All bf16, 16-byte aligned.
struct PrefillArguments {
  const __nv_bfloat16 *queries, *keys, *values;
  __nv_bfloat16* output;
  int requests, query_tokens, context_tokens, heads, kv_heads, dim;
  bool causal;
};

void launch_prefill(const PrefillArguments& arguments, cudaStream_t stream);

}  // namespace warploom::collector
