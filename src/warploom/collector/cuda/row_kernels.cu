#include <algorithm>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/row_kernels.cuh"

namespace warploom::collector {
namespace {

constexpr int kPack = 8;  // bf16 values of one 16-byte access

struct Pack {
  float v[kPack];
};

__device__ inline Pack widened(const uint4& raw) {
  const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&raw);
  Pack p;
#pragma unroll
  for (int i = 0; i < kPack / 2; ++i) {
    const float2 two = __bfloat1622float2(pairs[i]);
    p.v[2 * i] = two.x;
    p.v[2 * i + 1] = two.y;
  }
  return p;
}

__device__ inline Pack load_pack(const Bf16* at) { return widened(*reinterpret_cast<const uint4*>(at)); }

__device__ inline uint4 narrowed(const Pack& p) {
  uint4 raw;
  auto* pairs = reinterpret_cast<__nv_bfloat162*>(&raw);
#pragma unroll
  for (int i = 0; i < kPack / 2; ++i) pairs[i] = __floats2bfloat162_rn(p.v[2 * i], p.v[2 * i + 1]);
  return raw;
}

__device__ inline void store_pack(Bf16* at, const Pack& p) { *reinterpret_cast<uint4*>(at) = narrowed(p); }

template <bool kMaximum>
__device__ float over_block(float value) {
  __shared__ float parts[32];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(~0U, value, offset);
    value = kMaximum ? fmaxf(value, other) : value + other;
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float all = 0;
  for (int i = 0; i < int(blockDim.x) / 32; ++i) all = kMaximum ? fmaxf(all, parts[i]) : all + parts[i];
  __syncthreads();
  return all;
}

constexpr int kMostPacks = 8;  // of one thread: rows of up to 65,536 elements in 1,024 threads

__global__ void __launch_bounds__(1024)
    rmsnorm_kernel(const Bf16* x, Bf16* residual, const Bf16* weight, Bf16* out, int width) {
  const std::size_t row = std::size_t(blockIdx.x) * width;
  uint4 kept[kMostPacks];  // narrow: a block of 1,024 threads leaves each 64 registers
  float squares = 0;
#pragma unroll
  for (int p = 0; p < kMostPacks; ++p) {
    const int at = (p * int(blockDim.x) + int(threadIdx.x)) * kPack;
    if (at >= width) break;
    Pack value = load_pack(x + row + at);
    if (residual != nullptr) {
      const Pack more = load_pack(residual + row + at);
#pragma unroll
      for (int i = 0; i < kPack; ++i) value.v[i] += more.v[i];
      store_pack(residual + row + at, value);
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) squares += value.v[i] * value.v[i];
    kept[p] = narrowed(value);
  }
  const float share = rsqrtf(over_block<false>(squares) / float(width) + 1e-6F);
#pragma unroll
  for (int p = 0; p < kMostPacks; ++p) {
    const int at = (p * int(blockDim.x) + int(threadIdx.x)) * kPack;
    if (at >= width) break;
    const Pack w = load_pack(weight + at);
    Pack result = widened(kept[p]);
#pragma unroll
    for (int i = 0; i < kPack; ++i) result.v[i] *= share * w.v[i];
    store_pack(out + row + at, result);
  }
}

__global__ void silu_and_mul_kernel(const Bf16* in, Bf16* out, std::size_t packs, int width) {
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  const int per_row = width / kPack;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < packs; i += step) {
    const std::size_t row = i / per_row, at = i % per_row * kPack;
    const Pack gate = load_pack(in + row * 2 * width + at), up = load_pack(in + row * 2 * width + width + at);
    Pack result;
#pragma unroll
    for (int k = 0; k < kPack; ++k) result.v[k] = gate.v[k] / (1.0F + __expf(-gate.v[k])) * up.v[k];
    store_pack(out + row * width + at, result);
  }
}

__global__ void rope_kernel(Bf16* queries, Bf16* keys, const float* table, int heads, int kv_heads, int dim) {
  const std::size_t token = blockIdx.x;
  const int half = dim / 2, packs = half / kPack, all = (heads + kv_heads) * packs;
  const float *cosines = table + token * dim, *sines = cosines + half;
  for (int i = int(threadIdx.x); i < all; i += int(blockDim.x)) {
    const int head = i / packs, at = i % packs * kPack;
    Bf16* first = head < heads ? queries + (token * heads + head) * dim + at
                               : keys + (token * kv_heads + head - heads) * dim + at;
    Pack x = load_pack(first), y = load_pack(first + half);
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      const float a = x.v[k], b = y.v[k];
      x.v[k] = a * cosines[at + k] - b * sines[at + k];
      y.v[k] = b * cosines[at + k] + a * sines[at + k];
    }
    store_pack(first, x);
    store_pack(first + half, y);
  }
}

__global__ void kv_write_kernel(const Bf16* keys, const Bf16* values, const int* slots, Bf16* key_cache,
                                Bf16* value_cache, int width) {
  const std::size_t token = blockIdx.x, slot = std::size_t(slots[token]);
  for (int i = int(threadIdx.x) * kPack; i < width; i += int(blockDim.x) * kPack) {
    *reinterpret_cast<uint4*>(key_cache + slot * width + i) =
        *reinterpret_cast<const uint4*>(keys + token * width + i);
    *reinterpret_cast<uint4*>(value_cache + slot * width + i) =
        *reinterpret_cast<const uint4*>(values + token * width + i);
  }
}

__global__ void quantize_kernel(const Bf16* in, __nv_fp8_e4m3* out, float* scales, int width, bool dynamic) {
  constexpr float kLargestFp8 = 448;
  const std::size_t row = std::size_t(blockIdx.x) * width;
  float largest = 0;
  if (dynamic) {
    for (int at = int(threadIdx.x) * kPack; at < width; at += int(blockDim.x) * kPack) {
      const Pack p = load_pack(in + row + at);
#pragma unroll
      for (int i = 0; i < kPack; ++i) largest = fmaxf(largest, fabsf(p.v[i]));
    }
    largest = over_block<true>(largest);
  }
  const float scale = dynamic ? kLargestFp8 / fmaxf(largest, 1e-12F) : 1.0F;
  if (threadIdx.x == 0) scales[blockIdx.x] = 1.0F / scale;
  for (int at = int(threadIdx.x) * kPack; at < width; at += int(blockDim.x) * kPack) {
    const Pack p = load_pack(in + row + at);
    __nv_fp8_e4m3 narrow[kPack];
#pragma unroll
    for (int i = 0; i < kPack; ++i) narrow[i] = __nv_fp8_e4m3(p.v[i] * scale);
    *reinterpret_cast<uint2*>(out + row + at) = *reinterpret_cast<const uint2*>(narrow);
  }
}

__global__ void add_kernel(const Bf16* a, const Bf16* b, Bf16* out, std::size_t packs) {
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < packs; i += step) {
    Pack x = load_pack(a + i * kPack);
    const Pack y = load_pack(b + i * kPack);
#pragma unroll
    for (int k = 0; k < kPack; ++k) x.v[k] += y.v[k];
    store_pack(out + i * kPack, x);
  }
}

__global__ void weighted_sum_kernel(const Bf16* rows, const int* places, const float* weights, Bf16* out,
                                    int top_k, int width) {
  const std::size_t token = blockIdx.x;
  for (int at = int(threadIdx.x) * kPack; at < width; at += int(blockDim.x) * kPack) {
    Pack sum{};
    for (int j = 0; j < top_k; ++j) {
      const int place = places[token * top_k + j];
      if (place < 0) continue;  // an expert of another rank
      const Pack row = load_pack(rows + std::size_t(place) * width + at);
      const float weight = weights[token * top_k + j];
#pragma unroll
      for (int k = 0; k < kPack; ++k) sum.v[k] += weight * row.v[k];
    }
    store_pack(out + token * width + at, sum);
  }
}

// Threads for one row of `width`, whole warps.
unsigned row_threads(int width, int most = 1024) {
  const int wanted = (width / kPack + 31) / 32 * 32;
  return unsigned(std::clamp(wanted, 32, most));
}
unsigned grid_of(std::size_t packs) { return unsigned(std::min<std::size_t>((packs + 255) / 256, 1U << 20)); }

}  // namespace

void launch_rmsnorm(const Bf16* x, Bf16* residual, const Bf16* weight, Bf16* out, int tokens, int width,
                    cudaStream_t stream) {
  if (width % kPack != 0 || width > 1024 * kMostPacks * kPack)
    throw Unmeasurable("rmsnorm: the width must be a multiple of 8 of at most 65,536");
  // Two packs a thread where the block allows: fewer warps to bring together.
  rmsnorm_kernel<<<unsigned(tokens), row_threads((width / 2 + 7) / 8 * 8), 0, stream>>>(x, residual, weight,
                                                                                        out, width);
}

void launch_silu_and_mul(const Bf16* in, Bf16* out, int tokens, int width, cudaStream_t stream) {
  if (width % kPack != 0) throw Unmeasurable("activation: the width must be a multiple of 8");
  const std::size_t packs = std::size_t(tokens) * std::size_t(width / kPack);
  silu_and_mul_kernel<<<grid_of(packs), 256, 0, stream>>>(in, out, packs, width);
}

void launch_rope(Bf16* queries, Bf16* keys, const float* table, int tokens, int heads, int kv_heads, int dim,
                 cudaStream_t stream) {
  if (dim % (2 * kPack) != 0) throw Unmeasurable("rope: heads must have a multiple of 16 elements");
  const unsigned threads = row_threads((heads + kv_heads) * dim / 2, 512);
  rope_kernel<<<unsigned(tokens), threads, 0, stream>>>(queries, keys, table, heads, kv_heads, dim);
}

void launch_kv_write(const Bf16* keys, const Bf16* values, const int* slots, Bf16* key_cache,
                     Bf16* value_cache, int tokens, int width, cudaStream_t stream) {
  if (width % kPack != 0) throw Unmeasurable("kv_write: rows must have a multiple of 8 elements");
  kv_write_kernel<<<unsigned(tokens), row_threads(width, 256), 0, stream>>>(keys, values, slots, key_cache,
                                                                            value_cache, width);
}

void launch_quantize(const Bf16* in, __nv_fp8_e4m3* out, float* scales, int rows, int width, bool dynamic,
                     cudaStream_t stream) {
  if (width % kPack != 0) throw Unmeasurable("quantize: the width must be a multiple of 8");
  quantize_kernel<<<unsigned(rows), row_threads(width, 512), 0, stream>>>(in, out, scales, width, dynamic);
}

void launch_add(const Bf16* a, const Bf16* b, Bf16* out, std::size_t count, cudaStream_t stream) {
  if (count % kPack != 0) throw Unmeasurable("elementwise: the size must be a multiple of 8");
  add_kernel<<<grid_of(count / kPack), 256, 0, stream>>>(a, b, out, count / kPack);
}

void launch_weighted_sum(const Bf16* rows, const int* places, const float* weights, Bf16* out, int tokens,
                         int top_k, int width, cudaStream_t stream) {
  weighted_sum_kernel<<<unsigned(tokens), row_threads(width, 512), 0, stream>>>(rows, places, weights, out,
                                                                                top_k, width);
}

}  // namespace warploom::collector
