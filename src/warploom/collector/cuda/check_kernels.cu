// Each own kernel against a plain one that sums in single precision, on the arena's random values.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "warploom/collector/cuda/attention_decode.cuh"
#include "warploom/collector/cuda/attention_prefill.cuh"
#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/grouped_moe.cuh"

namespace warploom::collector {
namespace {

constexpr double kMostError = 1e-2;  // of ||out - reference|| / ||reference||: bf16 rounds to 0.4 %

// One thread for each element of a query's result: softmax over all keys that it may see.
__global__ void plain_attention(const Bf16* q, const Bf16* k, const Bf16* v, float* out, int queries,
                                int keys, int heads, int kv_heads, int dim, int context) {
  const int query = int(blockIdx.x), head = int(blockIdx.y), request = int(blockIdx.z), d = int(threadIdx.x);
  const int kv_head = head / (heads / kv_heads), seen = min(keys, context + query + 1);
  const Bf16* row = q + ((std::size_t(request) * queries + query) * heads + head) * dim;
  float top = -INFINITY, sum = 0, value = 0;
  for (int key = 0; key < seen; ++key) {
    const std::size_t at = ((std::size_t(request) * keys + key) * kv_heads + kv_head) * dim;
    float score = 0;
    for (int i = 0; i < dim; ++i) score += __bfloat162float(row[i]) * __bfloat162float(k[at + i]);
    score *= rsqrtf(float(dim));
    const float higher = fmaxf(top, score), shrink = expf(top - higher), weight = expf(score - higher);
    sum = sum * shrink + weight;
    value = value * shrink + weight * __bfloat162float(v[at + d]);
    top = higher;
  }
  out[((std::size_t(request) * queries + query) * heads + head) * dim + d] = value / sum;
}

__global__ void plain_product(const Bf16* x, const Bf16* w, float* out, int n, int k) {
  const std::size_t row = blockIdx.x;
  for (int column = int(threadIdx.x); column < n; column += int(blockDim.x)) {
    float sum = 0;
    for (int i = 0; i < k; ++i)
      sum += __bfloat162float(x[row * k + i]) * __bfloat162float(w[std::size_t(column) * k + i]);
    out[row * n + column] = sum;
  }
}

__global__ void plain_rmsnorm(const Bf16* x, const Bf16* weight, float* out, int width) {
  const std::size_t row = std::size_t(blockIdx.x) * width;
  float squares = 0;
  for (int i = 0; i < width; ++i) squares += __bfloat162float(x[row + i]) * __bfloat162float(x[row + i]);
  for (int i = int(threadIdx.x); i < width; i += int(blockDim.x))
    out[row + i] =
        __bfloat162float(x[row + i]) * rsqrtf(squares / float(width) + 1e-6F) * __bfloat162float(weight[i]);
}

__global__ void plain_silu_and_mul(const Bf16* in, float* out, int width) {
  const std::size_t row = blockIdx.x;
  for (int i = int(threadIdx.x); i < width; i += int(blockDim.x)) {
    const float gate = __bfloat162float(in[row * 2 * width + i]);
    out[row * width + i] = gate / (1 + expf(-gate)) * __bfloat162float(in[row * 2 * width + width + i]);
  }
}

class Comparison {
 public:
  Comparison(Workbench& bench, std::vector<std::string>& lines) : bench_(bench), lines_(lines) {}

  const Bf16* values(std::size_t count) {
    return static_cast<const Bf16*>(bench_.arena.bf16.take(count * sizeof(Bf16)));
  }
  // Poisoned, so that an element that nobody writes shows.
  Bf16* result(std::size_t count) {
    auto* at = static_cast<Bf16*>(bench_.arena.scratch.take(count * sizeof(Bf16)));
    check(cudaMemset(at, 0xFF, count * sizeof(Bf16)), "poisoning a result");
    return at;
  }
  float* reference(std::size_t count) {
    return static_cast<float*>(bench_.arena.scratch.take(count * sizeof(float)));
  }

  void judge(const std::string& name, const Bf16* result, const float* reference, std::size_t count) {
    check(cudaDeviceSynchronize(), name.c_str());
    std::vector<Bf16> got(count);
    std::vector<float> wanted(count);
    check(cudaMemcpy(got.data(), result, count * sizeof(Bf16), cudaMemcpyDeviceToHost), "reading a result");
    check(cudaMemcpy(wanted.data(), reference, count * sizeof(float), cudaMemcpyDeviceToHost),
          "reading a result");
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double d = double(__bfloat162float(got[i])) - double(wanted[i]);
      difference += d * d;
      norm += double(wanted[i]) * double(wanted[i]);
    }
    const double error = std::sqrt(difference / norm);
    const bool sound = error < kMostError;  // false for NaN
    all_sound_ = all_sound_ && sound;
    char line[160];
    std::snprintf(line, sizeof line, "%-44s %s, relative error %.1e", name.c_str(), sound ? "right" : "WRONG",
                  error);
    lines_.push_back(line);
  }
  bool all_sound() const { return all_sound_; }

 private:
  Workbench& bench_;
  std::vector<std::string>& lines_;
  bool all_sound_ = true;
};

void check_prefill(Comparison& c, int requests, int queries, int context, int heads, int kv_heads, int dim) {
  const int keys = context + queries;
  const std::size_t count = std::size_t(requests) * queries * heads * dim,
                    cached = std::size_t(requests) * keys * kv_heads * dim;
  const Bf16 *q = c.values(count), *k = c.values(cached), *v = c.values(cached);
  Bf16* out = c.result(count);
  float* wanted = c.reference(count);
  launch_prefill({q, k, v, out, requests, queries, context, heads, kv_heads, dim, true}, nullptr);
  plain_attention<<<dim3(unsigned(queries), unsigned(heads), unsigned(requests)), unsigned(dim)>>>(
      q, k, v, wanted, queries, keys, heads, kv_heads, dim, context);
  c.judge("prefill " + std::to_string(queries) + " after " + std::to_string(context) + ", head " +
              std::to_string(dim),
          out, wanted, count);
}

void check_decode(Comparison& c, const Workbench& bench, int requests, int tokens, int heads, int kv_heads,
                  int dim) {
  const int pages = (tokens + kPageTokens - 1) / kPageTokens;
  const std::size_t count = std::size_t(requests) * heads * dim;
  const std::size_t cached = std::size_t(requests) * pages * kPageTokens * kv_heads * dim;
  const Bf16 *q = c.values(count), *k = c.values(cached), *v = c.values(cached);
  Bf16* out = c.result(count);
  float* wanted = c.reference(count);
  std::vector<int> table(std::size_t(requests) * pages);
  std::iota(table.begin(), table.end(), 0);
  int* on_device = nullptr;
  check(cudaMalloc(&on_device, table.size() * 4), "reserving a table");
  check(cudaMemcpy(on_device, table.data(), table.size() * 4, cudaMemcpyHostToDevice), "copying a table");
  DecodeArguments a{q, k, v, on_device, out, nullptr, requests, tokens, heads, kv_heads, dim, 1};
  a.splits = decode_splits(requests, tokens, heads, kv_heads, bench.sm_count);
  a.partial = c.reference(count / std::size_t(dim) * std::size_t(a.splits * (dim + 2)));
  launch_decode(a, nullptr);
  // Request by request: in whole pages requests lie further apart than their tokens.
  for (int r = 0; r < requests; ++r) {
    const std::size_t at = std::size_t(r) * pages * kPageTokens * kv_heads * dim,
                      of = std::size_t(r) * heads * dim;
    plain_attention<<<dim3(1, unsigned(heads), 1), unsigned(dim)>>>(q + of, k + at, v + at, wanted + of, 1,
                                                                    tokens, heads, kv_heads, dim, tokens - 1);
  }
  c.judge("decode " + std::to_string(tokens) + " tokens, " + std::to_string(a.splits) + " splits, group " +
              std::to_string(heads / kv_heads),
          out, wanted, count);
  cudaFree(on_device);
}

void check_product(Comparison& c, int rows, int n, int k, int tile_rows) {
  const Bf16 *x = c.values(std::size_t(rows) * k), *w = c.values(std::size_t(n) * k);
  Bf16* out = c.result(std::size_t(rows) * n);
  float* wanted = c.reference(std::size_t(rows) * n);
  const int tiles = (rows + tile_rows - 1) / tile_rows;
  std::vector<int> table;
  for (int t = 0; t < tiles; ++t) table.push_back(0);
  for (int t = 0; t < tiles; ++t) table.push_back(t * tile_rows);
  for (int t = 0; t < tiles; ++t) table.push_back(std::min(tile_rows, rows - t * tile_rows));
  int* on_device = nullptr;
  check(cudaMalloc(&on_device, table.size() * 4), "reserving a table");
  check(cudaMemcpy(on_device, table.data(), table.size() * 4, cudaMemcpyHostToDevice), "copying a table");
  launch_grouped({x, w, nullptr, out, n, k, {on_device, on_device + tiles, on_device + 2 * tiles, tiles}},
                 tile_rows, nullptr);
  plain_product<<<unsigned(rows), 256>>>(x, w, wanted, n, k);
  c.judge("grouped product, tiles of " + std::to_string(tile_rows), out, wanted, std::size_t(rows) * n);
  cudaFree(on_device);
}

}  // namespace

bool check_kernels(Workbench& bench, std::vector<std::string>& lines) {
  Comparison c(bench, lines);
  if (bench.compute_capability >= 80) {
    check_prefill(c, 2, 300, 0, 8, 2, 128);
    check_prefill(c, 1, 129, 517, 4, 4, 64);
    check_decode(c, bench, 3, 1000, 32, 8, 128);
    check_decode(c, bench, 2, 37, 40, 2, 64);
    check_decode(c, bench, 40, 3000, 32, 8, 128);
    check_product(c, 200, 328, 256, 64);
    check_product(c, 300, 1000, 512, 128);
  }
  constexpr int kTokens = 33, kWidth = 5120;
  constexpr std::size_t kCount = std::size_t(kTokens) * kWidth;
  const Bf16 *x = c.values(2 * kCount), *weight = c.values(kWidth);
  Bf16 *normed = c.result(kCount), *active = c.result(kCount);
  float *wanted = c.reference(kCount), *wanted_active = c.reference(kCount);
  launch_rmsnorm(x, nullptr, weight, normed, kTokens, kWidth, nullptr);
  plain_rmsnorm<<<kTokens, 256>>>(x, weight, wanted, kWidth);
  c.judge("rmsnorm", normed, wanted, kCount);
  launch_silu_and_mul(x, active, kTokens, kWidth, nullptr);
  plain_silu_and_mul<<<kTokens, 256>>>(x, wanted_active, kWidth);
  c.judge("silu and mul", active, wanted_active, kCount);
  return c.all_sound();
}

}  // namespace warploom::collector
