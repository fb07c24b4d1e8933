// A template GEMM tuned by warploom: profile its variants once, fit a table, look up at every call.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -I../../src main.cu -L LIB -lwarploom -o cuda_dispatch
//   ./cuda_dispatch profile samples.csv          # anchors, half a minute
//   warploom tune fit --samples samples.csv --default 128x128x32/w8/s2 --no-correction --rotation 1
//       --output-bytes 4 --output table.wlt
//   ./cuda_dispatch run table.wlt                # picks at random shapes, against every variant
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "dispatch.h"
#include "tile_gemm.cuh"
#include "warploom/capi/warploom.h"

namespace example {

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

using Launch = void (*)(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int, cudaStream_t);

template <std::size_t I>
void launch(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
            cudaStream_t stream) {
  constexpr Variant v = kVariants[I];
  using T = Tile<v.tile_m, v.tile_n, v.tile_k, v.warps_m, v.warps_n>;
  static const cudaError_t raised =
      cudaFuncSetAttribute(tile_gemm<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, T::kSharedBytes);
  must(raised, "shared memory");
  const dim3 grid((n + T::kN - 1) / T::kN, (m + T::kM - 1) / T::kM);
  tile_gemm<T><<<grid, T::kThreads, T::kSharedBytes, stream>>>(a, b, c, m, n, k);
}

template <std::size_t... I>
constexpr std::array<Launch, sizeof...(I)> launches_of(std::index_sequence<I...>) {
  return {launch<I>...};
}
constexpr auto kLaunches = launches_of(std::make_index_sequence<kVariantCount>());

// The call an application makes: one look-up, one indirect call.
void gemm(const warploom_tune_table* table, const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m,
          int n, int k, cudaStream_t stream) {
  warploom_tile_config config{};
  warploom_tune_pick(table, m, n, k, &config);
  kLaunches[variant_of(config.tile_m, config.tile_n, config.tile_k, config.warps)](a, b, c, m, n, k, stream);
}

__global__ void fill(__nv_bfloat16* values, std::size_t count, unsigned seed) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761U + seed;
    x ^= x >> 15, x *= 2246822519U, x ^= x >> 13;
    values[i] = __float2bfloat16(static_cast<float>(x & 0xffff) / 65536.0F - 0.5F);
  }
}

struct Buffers {
  static constexpr std::size_t kMost = std::size_t{1} << 27;
  __nv_bfloat16 *a, *b;
  float* c;
  cudaStream_t stream;
  Buffers() {
    must(cudaMalloc(&a, kMost * 2), "memory");
    must(cudaMalloc(&b, kMost * 2), "memory");
    must(cudaMalloc(&c, kMost * 4), "memory");
    must(cudaStreamCreate(&stream), "stream");
    fill<<<1024, 256>>>(a, kMost, 1);
    fill<<<1024, 256>>>(b, kMost, 2);
    must(cudaDeviceSynchronize(), "fill");
  }
};

// Median of five, microseconds a launch, from a graph of ten launches over the same operands.
template <class Call>
float time_us(const Buffers& buffers, Call call) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  call();
  must(cudaStreamBeginCapture(buffers.stream, cudaStreamCaptureModeGlobal), "capture");
  for (int i = 0; i < 10; ++i) call();
  must(cudaStreamEndCapture(buffers.stream, &graph), "capture");
  must(cudaGraphInstantiate(&exec, graph, 0), "graph");
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::array<float, 5> times;
  cudaGraphLaunch(exec, buffers.stream);
  for (float& time : times) {
    cudaEventRecord(begin, buffers.stream);
    cudaGraphLaunch(exec, buffers.stream);
    cudaEventRecord(end, buffers.stream);
    must(cudaEventSynchronize(end), "launch");
    cudaEventElapsedTime(&time, begin, end);
  }
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  std::sort(times.begin(), times.end());
  return times[2] * 100;
}

float variant_us(const Buffers& x, std::size_t variant, int m, int n, int k) {
  return time_us(x, [&] { kLaunches[variant](x.a, x.b, x.c, m, n, k, x.stream); });
}

int profile(const char* path) {
  const Buffers buffers;
  int sms = 0;
  must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "device");
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return std::perror(path), 1;
  std::fprintf(file, "bm,bn,bk,warps,stages,m,n,k,median_us\n");
  for (std::size_t i = 0; i < kVariantCount; ++i) {
    const Variant& v = kVariants[i];
    for (const double waves : {0.25, 0.5, 1.0, 1.01, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0})
      for (const int loops : {4, 16, 64, 128})
        for (const bool skinny : {false, true}) {
          const int tiles = std::max(1, int(waves * sms));
          const int rows = skinny ? 1 : std::max(1, int(std::sqrt(double(tiles) * v.tile_n / v.tile_m)));
          const int m = rows * v.tile_m, n = std::max(1, tiles / rows) * v.tile_n, k = loops * v.tile_k;
          if (std::max({std::size_t(m) * k, std::size_t(n) * k, std::size_t(m) * n}) > Buffers::kMost)
            continue;
          std::fprintf(file, "%d,%d,%d,%d,%d,%d,%d,%d,%.3f\n", v.tile_m, v.tile_n, v.tile_k, v.warps(),
                       Variant::kStages, m, n, k, variant_us(buffers, i, m, n, k));
        }
  }
  return std::fclose(file);
}

// Relative error of a few elements against float64 sums on the host.
double error_of(const Buffers& x, int m, int n, int k) {
  std::vector<__nv_bfloat16> a(std::size_t(m) * k), b(std::size_t(n) * k);
  std::vector<float> c(std::size_t(m) * n);
  must(cudaMemcpy(a.data(), x.a, a.size() * 2, cudaMemcpyDeviceToHost), "copy");
  must(cudaMemcpy(b.data(), x.b, b.size() * 2, cudaMemcpyDeviceToHost), "copy");
  must(cudaMemcpy(c.data(), x.c, c.size() * 4, cudaMemcpyDeviceToHost), "copy");
  double off = 0, all = 0;
  for (std::size_t at = 0; at < c.size(); at += c.size() / 997 + 1) {
    double sum = 0;
    for (int i = 0; i < k; ++i)
      sum += double(__bfloat162float(a[at / n * k + i])) * double(__bfloat162float(b[at % n * k + i]));
    off += (sum - c[at]) * (sum - c[at]);
    all += sum * sum;
  }
  return std::sqrt(off / all);
}

int run(const char* path) {
  warploom_tune_table* table = nullptr;
  char message[256];
  if (warploom_tune_open(path, nullptr, nullptr, &table, message, sizeof message) != 0) {
    std::fprintf(stderr, "%s\n", message);
    return 1;
  }
  const Buffers buffers;
  std::mt19937 draw(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto size = [&](double low, double high) {
    return 16 * int(low * std::pow(high / low, uniform(draw)));
  };
  double share = 0, against_default = 0, worst = 1;
  constexpr int kShapes = 60;
  for (int shape = 0; shape < kShapes; ++shape) {
    const int m = size(1, 256), n = size(16, 512), k = size(8, 512);
    must(cudaMemset(buffers.c, 0xff, std::size_t(m) * n * 4), "poison");
    gemm(table, buffers.a, buffers.b, buffers.c, m, n, k, buffers.stream);
    must(cudaStreamSynchronize(buffers.stream), "gemm");
    const double error = shape % 10 == 0 ? error_of(buffers, m, n, k) : 0;
    if (!(error < 1e-3)) {
      std::fprintf(stderr, "%d x %d x %d: relative error %g\n", m, n, k, error);
      return 1;
    }
    warploom_tile_config config{};
    warploom_tune_pick(table, m, n, k, &config);
    const std::size_t picked = variant_of(config.tile_m, config.tile_n, config.tile_k, config.warps);
    std::array<float, kVariantCount> times;
    for (std::size_t i = 0; i < kVariantCount; ++i) times[i] = variant_us(buffers, i, m, n, k);
    const double ratio = *std::min_element(times.begin(), times.end()) / times[picked];
    share += std::log(ratio) / kShapes;
    against_default += std::log(times[0] / times[picked]) / kShapes;
    worst = std::min(worst, ratio);
  }
  std::printf("%d shapes: picked / best %.3f (worst %.3f), against the default %.2fx\n", kShapes,
              std::exp(share), worst, std::exp(against_default));
  warploom_tune_close(table);
  return 0;
}

}  // namespace example

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "profile") == 0) return example::profile(words[2]);
  if (count == 3 && std::strcmp(words[1], "run") == 0) return example::run(words[2]);
  std::fprintf(stderr, "expected: cuda_dispatch profile SAMPLES.csv | run TABLE.wlt\n");
  return 1;
}
