#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "warploom/collector/cuda/attention_decode.cuh"
#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/tensor_core.cuh"

namespace warploom::collector {
namespace {

constexpr int kWarps = 4, kThreads = 32 * kWarps, kStages = 3, kRows = 16;

template <int kDim>
constexpr std::size_t shared_bytes() {
  return std::size_t(kWarps) * kStages * 2 * kPageTokens * kDim * sizeof(__nv_bfloat16);
}

// Keys and values of one page and head, by one warp.
template <int kDim>
__device__ void load_page(__nv_bfloat16* stage, const DecodeArguments& a, int page, int kv_head) {
  constexpr int kChunks = kDim / 8;
  const std::size_t stride = std::size_t(a.kv_heads) * kDim;
  const std::size_t base = std::size_t(page) * kPageTokens * stride + std::size_t(kv_head) * kDim;
  for (int i = int(threadIdx.x) % 32; i < kPageTokens * kChunks; i += 32) {
    const int row = i / kChunks, chunk = i % kChunks;
    const std::size_t at = base + std::size_t(row) * stride + std::size_t(chunk) * 8;
    copy_async(swizzled<kDim>(stage, row, chunk), a.keys + at);
    copy_async(swizzled<kDim>(stage + kPageTokens * kDim, row, chunk), a.values + at);
  }
}

template <int kDim>
__device__ void attend_page(__nv_bfloat16* stage, const std::uint32_t (&queries)[kDim / 16][4], int keys_left,
                            float scale, RunningSoftmax& softmax, float (&sums)[kDim / 8][4]) {
  const int lane = int(threadIdx.x) % 32, matrix = lane / 8, row = lane % 8;
  float scores[2][4] = {};
#pragma unroll
  for (int d = 0; d < kDim / 16; ++d) {
    std::uint32_t k[4];
    load_matrices(k, swizzled<kDim>(stage, (matrix >> 1) * 8 + row, d * 2 + (matrix & 1)));
    multiply(scores[0], queries[d], k[0], k[1]);
    multiply(scores[1], queries[d], k[2], k[3]);
  }
  if (keys_left < kPageTokens) {
#pragma unroll
    for (int t = 0; t < 2; ++t)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (t * 8 + (lane % 4) * 2 + (i & 1) >= keys_left) scores[t][i] = -INFINITY;
  }
  float shrink[2];
  update_softmax(softmax, scores, scale, shrink);
  const std::uint32_t p[4] = {packed(scores[0][0], scores[0][1]), packed(scores[0][2], scores[0][3]),
                              packed(scores[1][0], scores[1][1]), packed(scores[1][2], scores[1][3])};
#pragma unroll
  for (int d = 0; d < kDim / 16; ++d) {
    std::uint32_t v[4];
    load_transposed(
        v, swizzled<kDim>(stage + kPageTokens * kDim, (matrix & 1) * 8 + row, d * 2 + (matrix >> 1)));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sums[2 * d][i] *= shrink[i / 2];
      sums[2 * d + 1][i] *= shrink[i / 2];
    }
    multiply(sums[2 * d], p, v[0], v[1]);
    multiply(sums[2 * d + 1], p, v[2], v[3]);
  }
}

template <int kDim>
__device__ void load_queries(std::uint32_t (&queries)[kDim / 16][4], const __nv_bfloat16* first, int rows) {
  const int lane = int(threadIdx.x) % 32;
#pragma unroll
  for (int d = 0; d < kDim / 16; ++d)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + (i & 1) * 8, column = d * 16 + (i >> 1) * 8 + (lane % 4) * 2;
      queries[d][i] = row < rows ? *reinterpret_cast<const std::uint32_t*>(first + row * kDim + column) : 0U;
    }
}

struct WarpState {
  float top[kRows], sum[kRows];
};

// The warps' parts, scaled to their common maximum; to the output, or to the part of this split.
template <int kDim>
__device__ void merge_warps(const DecodeArguments& a, const float* parts, const WarpState* states,
                            int first_head, int rows, int request, int split, float scale) {
  for (int i = int(threadIdx.x); i < rows * kDim; i += kThreads) {
    const int row = i / kDim, column = i % kDim;
    float top = -INFINITY, sum = 0, value = 0;
    for (int w = 0; w < kWarps; ++w) top = fmaxf(top, states[w].top[row]);
    for (int w = 0; w < kWarps; ++w) {
      const float share = states[w].top[row] == -INFINITY ? 0.0F : exp2f((states[w].top[row] - top) * scale);
      sum += share * states[w].sum[row];
      value += share * parts[(w * kRows + row) * kDim + column];
    }
    const std::size_t head = std::size_t(request) * a.heads + first_head + row;
    if (a.splits == 1) {
      a.output[head * kDim + column] = __float2bfloat16(value / sum);
      continue;
    }
    float* part = a.partial + (head * a.splits + split) * (kDim + 2);
    part[column] = value;
    if (column == 0) {
      part[kDim] = top * scale;
      part[kDim + 1] = sum;
    }
  }
}

template <int kDim>
__global__ void __launch_bounds__(kThreads) decode_kernel(DecodeArguments a) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ WarpState states[kWarps];
  const int group = a.heads / a.kv_heads, tiles = (group + kRows - 1) / kRows;
  const int kv_head = int(blockIdx.y) / tiles, first_row = int(blockIdx.y) % tiles * kRows;
  const int request = int(blockIdx.z), split = int(blockIdx.x), rows = min(kRows, group - first_row);
  const int first_head = kv_head * group + first_row, warp = int(threadIdx.x) / 32,
            lane = int(threadIdx.x) % 32;
  const int pages = (a.tokens + kPageTokens - 1) / kPageTokens;
  const int begin = int((long long)(pages)*split / a.splits),
            end = int((long long)(pages) * (split + 1) / a.splits);
  const int* table = a.pages + std::size_t(request) * pages;
  auto* stages = reinterpret_cast<__nv_bfloat16*>(shared) + warp * kStages * 2 * kPageTokens * kDim;

  std::uint32_t queries[kDim / 16][4];
  load_queries<kDim>(queries, a.queries + (std::size_t(request) * a.heads + first_head) * kDim, rows);
  const float scale = rsqrtf(float(kDim)) * 1.44269504F;
  float sums[kDim / 8][4] = {};
  RunningSoftmax softmax;
  const auto prefetch = [&](int step) {
    const int page = begin + warp + step * kWarps;
    if (page < end)
      load_page<kDim>(stages + step % kStages * 2 * kPageTokens * kDim, a, table[page], kv_head);
    commit_copies();
  };
  for (int step = 0; step < kStages - 1; ++step) prefetch(step);
  for (int step = 0; begin + warp + step * kWarps < end; ++step) {
    prefetch(step + kStages - 1);
    wait_copies<kStages - 1>();
    __syncwarp();
    const int page = begin + warp + step * kWarps;
    attend_page<kDim>(stages + step % kStages * 2 * kPageTokens * kDim, queries,
                      a.tokens - page * kPageTokens, scale, softmax, sums);
    __syncwarp();
  }
  wait_copies<0>();
  finish_sums(softmax);
  __syncthreads();
  auto* parts = reinterpret_cast<float*>(shared);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + half * 8;
    if (lane % 4 == 0) {
      states[warp].top[row] = softmax.top[half];
      states[warp].sum[row] = softmax.sum[half];
    }
#pragma unroll
    for (int d = 0; d < kDim / 8; ++d)
      *reinterpret_cast<float2*>(parts + (warp * kRows + row) * kDim + d * 8 + (lane % 4) * 2) =
          make_float2(sums[d][2 * half], sums[d][2 * half + 1]);
  }
  __syncthreads();
  merge_warps<kDim>(a, parts, states, first_head, rows, request, split, scale);
}

// One block for each head of a request, one thread for each element.
__global__ void combine_splits(DecodeArguments a) {
  const std::size_t head = blockIdx.x;
  const float* parts = a.partial + head * a.splits * (a.dim + 2);
  float top = -INFINITY, sum = 0, value = 0;
  for (int s = 0; s < a.splits; ++s) top = fmaxf(top, parts[s * (a.dim + 2) + a.dim]);
  for (int s = 0; s < a.splits; ++s) {
    const float* part = parts + s * (a.dim + 2);
    const float share = exp2f(part[a.dim] - top);
    sum += share * part[a.dim + 1];
    value += share * part[threadIdx.x];
  }
  a.output[head * a.dim + threadIdx.x] = __float2bfloat16(value / sum);
}

template <int kDim>
void launch_with_dim(const DecodeArguments& a, cudaStream_t stream) {
  static const cudaError_t allowed = cudaFuncSetAttribute(
      decode_kernel<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes<kDim>()));
  check(allowed, "asking for shared memory");
  const int tiles = (a.heads / a.kv_heads + kRows - 1) / kRows;
  const dim3 grid(unsigned(a.splits), unsigned(a.kv_heads * tiles), unsigned(a.requests));
  decode_kernel<kDim><<<grid, kThreads, shared_bytes<kDim>(), stream>>>(a);
  if (a.splits > 1) combine_splits<<<unsigned(a.requests * a.heads), unsigned(kDim), 0, stream>>>(a);
}

// A table of all pages in random order, as a cache that has been in use for long.
std::shared_ptr<int> shuffled_pages(std::size_t count) {
  std::vector<int> pages(count);
  std::iota(pages.begin(), pages.end(), 0);
  std::shuffle(pages.begin(), pages.end(), std::mt19937_64(count));
  int* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(int)), "reserving a page table");
  std::shared_ptr<int> table(memory, [](int* m) { cudaFree(m); });
  check(cudaMemcpy(memory, pages.data(), count * sizeof(int), cudaMemcpyHostToDevice),
        "copying a page table");
  return table;
}

}  // namespace

int decode_splits(int requests, int tokens, int heads, int kv_heads, int sm_count) {
  const int blocks = requests * kv_heads * ((heads / kv_heads + kRows - 1) / kRows);
  const int wanted = (4 * sm_count + blocks - 1) / blocks;
  return std::clamp(wanted, 1, std::max(1, tokens / 256));
}

void launch_decode(const DecodeArguments& a, cudaStream_t stream) {
  if (a.dim == 64)
    launch_with_dim<64>(a, stream);
  else
    launch_with_dim<128>(a, stream);
}

Recipe attention_decode(const OperatorText& op, Workbench& bench) {
  if (bench.compute_capability < 80)
    throw Unmeasurable("attention: bf16 tensor cores need compute capability 8.0");
  if (op.word("compute", "bf16") != "bf16" || op.word("kv_cache", "bf16") != "bf16")
    throw Unmeasurable("attention: the own kernel takes bf16 alone");
  if (op.integer("window", 0) != 0) throw Unmeasurable("attention: the own kernel has no window");
  if (op.has("requests.1.count") || op.integer("requests.0.query_tokens", 1) != 1)
    throw Unmeasurable("attention: requests of unlike lengths or of several new tokens are not swept");
  DecodeArguments a{};
  a.requests = int(op.integer("requests.0.count"));
  a.tokens = int(op.integer("requests.0.context_tokens")) + 1;
  a.heads = int(op.integer("heads"));
  a.kv_heads = int(op.integer("kv_heads"));
  a.dim = int(op.integer("head_dim", 128));
  if (a.dim != 64 && a.dim != 128)
    throw Unmeasurable("attention: the own kernel has heads of 64 or 128 elements");
  if (a.kv_heads < 1 || a.heads % a.kv_heads != 0)
    throw Unmeasurable("attention: heads must be a multiple of KV heads");
  a.splits = decode_splits(a.requests, a.tokens, a.heads, a.kv_heads, bench.sm_count);
  const std::size_t pages =
      std::size_t(a.requests) * ((std::size_t(a.tokens) + kPageTokens - 1) / kPageTokens);
  const std::size_t cache_bytes = pages * kPageTokens * a.kv_heads * a.dim * 2;
  const std::size_t query_bytes = std::size_t(a.requests) * a.heads * a.dim * 2;
  const std::size_t partial_bytes = std::size_t(a.requests) * a.heads * a.splits * (a.dim + 2) * 4;
  const std::shared_ptr<int> table = shuffled_pages(pages);
  a.pages = table.get();
  Recipe recipe;
  recipe.cold_bytes = 2 * cache_bytes;
  recipe.algorithm = "splits=" + std::to_string(a.splits);
  recipe.hold = table;
  recipe.launch = [=, &bench](cudaStream_t stream) {
    DecodeArguments with = a;
    Pool& values = bench.arena.bf16;
    with.queries = static_cast<const __nv_bfloat16*>(values.take(query_bytes));
    with.keys = static_cast<const __nv_bfloat16*>(values.take(cache_bytes));
    with.values = static_cast<const __nv_bfloat16*>(values.take(cache_bytes));
    with.output = static_cast<__nv_bfloat16*>(bench.arena.scratch.take(query_bytes));
    with.partial = static_cast<float*>(bench.arena.scratch.take(partial_bytes));
    launch_decode(with, stream);
    check(cudaGetLastError(), "attention decode");
  };
  return recipe;
}

}  // namespace warploom::collector
