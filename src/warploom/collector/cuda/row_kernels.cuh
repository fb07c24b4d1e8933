// Row-wise and element-wise kernels: one pass over memory, 16 bytes a thread and access.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

namespace warploom::collector {

using Bf16 = __nv_bfloat16;

// out = x / rms(x) * weight. residual != nullptr: x += residual first, kept in residual.
void launch_rmsnorm(const Bf16* x, Bf16* residual, const Bf16* weight, Bf16* out, int tokens, int width,
                    cudaStream_t stream);
// out[t, w] = silu(in[t, w]) * in[t, width + w].
void launch_silu_and_mul(const Bf16* in, Bf16* out, int tokens, int width, cudaStream_t stream);
// Rotates pairs (i, i + dim / 2) of every head in place; table [tokens, dim] of cosines, then sines.
void launch_rope(Bf16* queries, Bf16* keys, const float* table, int tokens, int heads, int kv_heads, int dim,
                 cudaStream_t stream);
// cache[slots[t]] = (keys[t], values[t]); rows of `width` elements.
void launch_kv_write(const Bf16* keys, const Bf16* values, const int* slots, Bf16* key_cache,
                     Bf16* value_cache, int tokens, int width, cudaStream_t stream);
// Per-row scales from the row's largest magnitude (dynamic), or 1.
void launch_quantize(const Bf16* in, __nv_fp8_e4m3* out, float* scales, int rows, int width, bool dynamic,
                     cudaStream_t stream);
void launch_add(const Bf16* a, const Bf16* b, Bf16* out, std::size_t count, cudaStream_t stream);
// out[t] = sum over top_k of weights[t, j] * rows[places[t, j]].
void launch_weighted_sum(const Bf16* rows, const int* places, const float* weights, Bf16* out, int tokens,
                         int top_k, int width, cudaStream_t stream);

}  // namespace warploom::collector
