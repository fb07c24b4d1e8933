#include <cmath>

#include "warploom/collector/cuda/attention_prefill.cuh"
#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/tensor_core.cuh"

namespace warploom::collector {
namespace {

constexpr int kQueries = 128, kKeys = 64, kWarps = 8, kThreads = 32 * kWarps, kStages = 2;

template <int kDim>
constexpr std::size_t shared_bytes() {
  return std::size_t(kQueries + 2 * kStages * kKeys) * kDim * sizeof(__nv_bfloat16);
}

// `rows` rows of `count` from row `first` on, of one head, into a swizzled tile; rows beyond `count` are
// zeros.
template <int kDim>
__device__ void load_tile(__nv_bfloat16* tile, const __nv_bfloat16* head, std::size_t stride, int first,
                          int count, int rows) {
  constexpr int kChunks = kDim / 8;
  for (int i = int(threadIdx.x); i < rows * kChunks; i += kThreads) {
    const int row = i / kChunks, chunk = i % kChunks;
    const bool valid = first + row < count;
    copy_async(swizzled<kDim>(tile, row, chunk),
               head + std::size_t(valid ? first + row : 0) * stride + chunk * 8, valid);
  }
}

template <int kDim>
__device__ void scores_of(float (&scores)[kKeys / 8][4], std::uint32_t (&queries)[kDim / 16][4],
                          __nv_bfloat16* keys) {
  const int lane = int(threadIdx.x) % 32, matrix = lane / 8, row = lane % 8;
#pragma unroll
  for (int t = 0; t < kKeys / 8; ++t) scores[t][0] = scores[t][1] = scores[t][2] = scores[t][3] = 0;
#pragma unroll
  for (int d = 0; d < kDim / 16; ++d)
#pragma unroll
    for (int t = 0; t < kKeys / 16; ++t) {
      std::uint32_t k[4];
      load_matrices(k, swizzled<kDim>(keys, t * 16 + (matrix >> 1) * 8 + row, d * 2 + (matrix & 1)));
      multiply(scores[2 * t], queries[d], k[0], k[1]);
      multiply(scores[2 * t + 1], queries[d], k[2], k[3]);
    }
}

template <int kDim>
__device__ void add_values(float (&sums)[kDim / 8][4], const float (&weights)[kKeys / 8][4],
                           __nv_bfloat16* values) {
  const int lane = int(threadIdx.x) % 32, matrix = lane / 8, row = lane % 8;
#pragma unroll
  for (int t = 0; t < kKeys / 16; ++t) {
    const std::uint32_t p[4] = {packed(weights[2 * t][0], weights[2 * t][1]),
                                packed(weights[2 * t][2], weights[2 * t][3]),
                                packed(weights[2 * t + 1][0], weights[2 * t + 1][1]),
                                packed(weights[2 * t + 1][2], weights[2 * t + 1][3])};
#pragma unroll
    for (int d = 0; d < kDim / 16; ++d) {
      std::uint32_t v[4];
      load_transposed(v, swizzled<kDim>(values, t * 16 + (matrix & 1) * 8 + row, d * 2 + (matrix >> 1)));
      multiply(sums[2 * d], p, v[0], v[1]);
      multiply(sums[2 * d + 1], p, v[2], v[3]);
    }
  }
}

// A key beyond the last that query `row` (and row + 8) may see weighs nothing.
__device__ inline void mask_scores(float (&scores)[kKeys / 8][4], int first_key, int last_seen,
                                   int last_seen_below) {
  const int lane = int(threadIdx.x) % 32;
#pragma unroll
  for (int t = 0; t < kKeys / 8; ++t)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int key = first_key + t * 8 + (lane % 4) * 2 + (i & 1);
      if (key > (i < 2 ? last_seen : last_seen_below)) scores[t][i] = -INFINITY;
    }
}

template <int kDim>
__device__ void store_rows(const PrefillArguments& a, const float (&sums)[kDim / 8][4],
                           const RunningSoftmax& softmax, int request, int head, int row) {
  const int lane = int(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int query = row + half * 8;
    if (query >= a.query_tokens) continue;
    const float share = 1.0F / softmax.sum[half];
    __nv_bfloat16* out = a.output + (std::size_t(request) * a.query_tokens + query) * a.heads * kDim +
                         std::size_t(head) * kDim;
#pragma unroll
    for (int d = 0; d < kDim / 8; ++d)
      *reinterpret_cast<std::uint32_t*>(out + d * 8 + (lane % 4) * 2) =
          packed(sums[d][2 * half] * share, sums[d][2 * half + 1] * share);
  }
}

template <int kDim>
__global__ void __launch_bounds__(kThreads) prefill_kernel(PrefillArguments a) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* query_tile = reinterpret_cast<__nv_bfloat16*>(shared);
  __nv_bfloat16* key_tiles = query_tile + kQueries * kDim;
  __nv_bfloat16* value_tiles = key_tiles + kStages * kKeys * kDim;
  // Blocks of the last queries see most keys: they start first.
  const int tile = int(gridDim.x) - 1 - int(blockIdx.x), head = int(blockIdx.y), request = int(blockIdx.z);
  const int keys = a.context_tokens + a.query_tokens, first_query = tile * kQueries;
  const int kv_head = head / (a.heads / a.kv_heads);
  const std::size_t query_stride = std::size_t(a.heads) * kDim, key_stride = std::size_t(a.kv_heads) * kDim;
  const __nv_bfloat16* q =
      a.queries + std::size_t(request) * a.query_tokens * query_stride + std::size_t(head) * kDim;
  const std::size_t key_base = std::size_t(request) * keys * key_stride + std::size_t(kv_head) * kDim;
  const int seen = a.causal ? min(keys, a.context_tokens + first_query + kQueries) : keys;
  const int steps = (seen + kKeys - 1) / kKeys;
  const auto load_keys = [&](int step) {
    const int stage = step % kStages;
    load_tile<kDim>(key_tiles + stage * kKeys * kDim, a.keys + key_base, key_stride, step * kKeys, keys,
                    kKeys);
    load_tile<kDim>(value_tiles + stage * kKeys * kDim, a.values + key_base, key_stride, step * kKeys, keys,
                    kKeys);
    commit_copies();
  };
  load_tile<kDim>(query_tile, q, query_stride, first_query, a.query_tokens, kQueries);
  load_keys(0);
  wait_copies<0>();
  __syncthreads();

  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  std::uint32_t queries[kDim / 16][4];
#pragma unroll
  for (int d = 0; d < kDim / 16; ++d)
    load_matrices(queries[d], swizzled<kDim>(query_tile, warp * 16 + lane % 16, d * 2 + lane / 16));
  const int row = first_query + warp * 16 + lane / 4;
  const float scale = rsqrtf(float(kDim)) * 1.44269504F;  // exponentials are to the base 2
  float sums[kDim / 8][4] = {};
  RunningSoftmax softmax;
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) load_keys(step + 1);
    const int stage = step % kStages;
    float scores[kKeys / 8][4];
    scores_of<kDim>(scores, queries, key_tiles + stage * kKeys * kDim);
    const int last = a.causal ? a.context_tokens + row : keys - 1;
    if ((step + 1) * kKeys > keys || (a.causal && (step + 1) * kKeys > a.context_tokens + first_query))
      mask_scores(scores, step * kKeys, min(last, keys - 1), min(a.causal ? last + 8 : last, keys - 1));
    float shrink[2];
    update_softmax(softmax, scores, scale, shrink);
#pragma unroll
    for (int d = 0; d < kDim / 8; ++d)
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[d][i] *= shrink[i / 2];
    add_values<kDim>(sums, scores, value_tiles + stage * kKeys * kDim);
    wait_copies<0>();
    __syncthreads();
  }
  finish_sums(softmax);
  store_rows<kDim>(a, sums, softmax, request, head, row);
}

template <int kDim>
void launch_with_dim(const PrefillArguments& a, cudaStream_t stream) {
  static const cudaError_t allowed = cudaFuncSetAttribute(
      prefill_kernel<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes<kDim>()));
  check(allowed, "asking for shared memory");
  const dim3 grid(unsigned((a.query_tokens + kQueries - 1) / kQueries), unsigned(a.heads),
                  unsigned(a.requests));
  prefill_kernel<kDim><<<grid, kThreads, shared_bytes<kDim>(), stream>>>(a);
}

}  // namespace

void launch_prefill(const PrefillArguments& a, cudaStream_t stream) {
  if (a.dim == 64)
    launch_with_dim<64>(a, stream);
  else
    launch_with_dim<128>(a, stream);
}

Recipe attention_prefill(const OperatorText& op, Workbench& bench) {
  if (bench.compute_capability < 80)
    throw Unmeasurable("attention: bf16 tensor cores need compute capability 8.0");
  if (op.word("compute", "bf16") != "bf16" || op.word("kv_cache", "bf16") != "bf16")
    throw Unmeasurable("attention: the own kernel takes bf16 alone");
  if (op.integer("window", 0) != 0) throw Unmeasurable("attention: the own kernel has no window");
  if (op.has("requests.1.count")) throw Unmeasurable("attention: requests of unlike lengths are not swept");
  PrefillArguments a{};
  a.requests = int(op.integer("requests.0.count"));
  a.query_tokens = int(op.integer("requests.0.query_tokens"));
  a.context_tokens = int(op.integer("requests.0.context_tokens", 0));
  a.heads = int(op.integer("heads"));
  a.kv_heads = int(op.integer("kv_heads"));
  a.dim = int(op.integer("head_dim", 128));
  a.causal = op.flag("causal", true);
  if (a.dim != 64 && a.dim != 128)
    throw Unmeasurable("attention: the own kernel has heads of 64 or 128 elements");
  if (a.kv_heads < 1 || a.heads % a.kv_heads != 0)
    throw Unmeasurable("attention: heads must be a multiple of KV heads");
  const std::size_t query_bytes = std::size_t(a.requests) * a.query_tokens * a.heads * a.dim * 2;
  const std::size_t key_bytes =
      std::size_t(a.requests) * (a.query_tokens + a.context_tokens) * a.kv_heads * a.dim * 2;
  Recipe recipe;
  recipe.cold_bytes = query_bytes + 2 * key_bytes;
  recipe.algorithm = "tile=128x64 warps=8 stages=2";
  recipe.launch = [a, query_bytes, key_bytes, &bench](cudaStream_t stream) {
    PrefillArguments with = a;
    Pool& values = bench.arena.bf16;
    with.queries = static_cast<const __nv_bfloat16*>(values.take(query_bytes));
    with.keys = static_cast<const __nv_bfloat16*>(values.take(key_bytes));
    with.values = static_cast<const __nv_bfloat16*>(values.take(key_bytes));
    with.output = static_cast<__nv_bfloat16*>(bench.arena.scratch.take(query_bytes));
    launch_prefill(with, stream);
    check(cudaGetLastError(), "attention prefill");
  };
  return recipe;
}

}  // namespace warploom::collector
