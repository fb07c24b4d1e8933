// Ceilings and gaps of the device, each from a kernel that does nothing else.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/row_kernels.cuh"
#include "warploom/collector/cuda/tensor_core.cuh"
#include "warploom/collector/sampler.h"

namespace warploom::collector {
namespace {

__global__ void nothing_kernel() {}

// Each thread moves kUnrolled packs that lie a block apart, kept in the caches or not: which is fastest
// differs between GPUs.
constexpr int kCopyThreads = 256;
template <int kUnrolled, bool kStreaming>
__global__ void __launch_bounds__(kCopyThreads) copy_kernel(const uint4* from, uint4* to) {
  const std::size_t first = std::size_t(blockIdx.x) * kCopyThreads * kUnrolled + threadIdx.x;
  uint4 packs[kUnrolled];
#pragma unroll
  for (int i = 0; i < kUnrolled; ++i) {
    const uint4* at = from + first + std::size_t(i) * kCopyThreads;
    packs[i] = kStreaming ? __ldcs(at) : *at;
  }
#pragma unroll
  for (int i = 0; i < kUnrolled; ++i) {
    uint4* at = to + first + std::size_t(i) * kCopyThreads;
    if (kStreaming)
      __stcs(at, packs[i]);
    else
      *at = packs[i];
  }
}

// `rounds` passes over `count` packs; every block reads all of them, so that they come from L2.
__global__ void read_kernel(const uint4* from, std::size_t count, int rounds, uint4* sink) {
  uint4 sum{};
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) % count, left = count / 64;
         left > 0; --left) {
      uint4 v;
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(from + i));
      sum.x ^= v.x ^ v.y ^ v.z ^ v.w;
      i += std::size_t(gridDim.x) * blockDim.x;
      if (i >= count) i %= count;
    }
  if (sum.x == 0x12345678U) *sink = sum;
}

// Clocks of one block of 1,024 threads for `rounds` loads of 16 bytes, or exponentials, of each thread.
__global__ void shared_kernel(int rounds, long long* clocks, uint4* sink) {
  __shared__ uint4 tile[1024];
  tile[threadIdx.x] = make_uint4(threadIdx.x, 1, 2, 3);
  __syncthreads();
  uint4 sum{};
  const long long start = clock64();
#pragma unroll 16
  for (int i = 0; i < rounds; ++i) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(shared_address(tile + ((threadIdx.x + i * 32) & 1023))));
    sum.x ^= v.x;
    sum.y ^= v.y;
    sum.z ^= v.z;
    sum.w ^= v.w;
  }
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - start;
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x12345678U) *sink = sum;
}

__global__ void exponential_kernel(int rounds, long long* clocks, float* sink) {
  float a = threadIdx.x * 1e-3F, b = a + 0.1F, c = a + 0.2F, d = a + 0.3F;
  const long long start = clock64();
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(b));
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(c));
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(d));
  }
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - start;
  if (a + b + c + d == 0.12345F) *sink = a;
}

double median_seconds(const Launch& launch, const Workbench& bench, double graph_seconds = 5e-3) {
  const auto prepared =
      make_graph_case(launch, {.l2_bytes = bench.l2_bytes, .graph_seconds = graph_seconds}, "");
  return sample_case(*prepared, {.relative_half_width = 0.002, .seconds = 0.25}).median;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr std::size_t kCopyBlockBytes = std::size_t(kCopyThreads) * 8 * 16;  // of the longest unrolling

template <int kUnrolled, bool kStreaming>
double copy_seconds(const void* from, void* to, std::size_t bytes, const Workbench& bench) {
  const auto blocks = unsigned(bytes / 16 / kCopyThreads / kUnrolled);
  return median_seconds(
      [=](cudaStream_t s) {
        copy_kernel<kUnrolled, kStreaming>
            <<<blocks, kCopyThreads, 0, s>>>(static_cast<const uint4*>(from), static_cast<uint4*>(to));
      },
      bench);
}

void add_memory_rates(Workbench& bench, std::vector<DeviceConstant>& constants) {
  const std::size_t bytes = std::min(bench.arena.bf16.size(), bench.arena.scratch.size()) * 2 / 5 /
                            kCopyBlockBytes * kCopyBlockBytes;
  void *from = bench.arena.bf16.take(bytes), *other = bench.arena.bf16.take(bytes),
       *to = bench.arena.scratch.take(bytes);
  const double engine = median_seconds(
      [=](cudaStream_t s) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, s), "copying");
      },
      bench);
  const double own = std::min(
      {copy_seconds<1, false>(from, to, bytes, bench), copy_seconds<4, false>(from, to, bytes, bench),
       copy_seconds<2, true>(from, to, bytes, bench), copy_seconds<8, true>(from, to, bytes, bench)});
  const double triad = median_seconds(
      [=](cudaStream_t s) {
        launch_add(static_cast<const Bf16*>(from), static_cast<const Bf16*>(other), static_cast<Bf16*>(to),
                   bytes / 2, s);
      },
      bench);
  constants.push_back({"dram_copy_library_gb_per_s", 2e-9 * double(bytes) / engine});
  constants.push_back({"dram_copy_gb_per_s", 2e-9 * double(bytes) / own});
  constants.push_back({"dram_triad_gb_per_s", 3e-9 * double(bytes) / triad});
  const std::size_t resident = bench.l2_bytes / 4 / 16;  // packs
  constexpr int kRounds = 16;
  const unsigned blocks = unsigned(bench.sm_count) * 4;
  const double l2 = median_seconds(
      [=](cudaStream_t s) {
        read_kernel<<<blocks, 512, 0, s>>>(static_cast<const uint4*>(from), resident, kRounds,
                                           static_cast<uint4*>(to));
      },
      bench);
  constants.push_back(
      {"l2_read_gb_per_s", 1e-9 * double(blocks) * 512 * double(resident / 64) * kRounds * 16 / l2});
}

void add_core_rates(Workbench& bench, std::vector<DeviceConstant>& constants) {
  auto* clocks = static_cast<long long*>(bench.arena.scratch.take(std::size_t(bench.sm_count) * 8));
  void* sink = bench.arena.scratch.take(16);
  constexpr int kRounds = 4096;
  const auto mean_clocks = [&]() {
    std::vector<long long> host(std::size_t(bench.sm_count));
    check(cudaMemcpy(host.data(), clocks, host.size() * 8, cudaMemcpyDeviceToHost), "reading clocks");
    double sum = 0;
    for (const long long c : host) sum += double(c);
    return sum / double(host.size());
  };
  shared_kernel<<<unsigned(bench.sm_count), 1024>>>(kRounds, clocks, static_cast<uint4*>(sink));
  constants.push_back({"shared_bytes_per_clock_per_sm", 1024.0 * kRounds * 16 / mean_clocks()});
  const double seconds = median_seconds(
      [=, &bench](cudaStream_t s) {
        exponential_kernel<<<unsigned(bench.sm_count), 1024, 0, s>>>(kRounds * 4, clocks,
                                                                     static_cast<float*>(sink));
      },
      bench);
  const double c = mean_clocks();
  constants.push_back({"special_function_per_clock_per_sm", 1024.0 * kRounds * 16 / c});
  constants.push_back({"sm_clock_mhz", 1e-6 * c / seconds});
}

// A short burst from a rested device, as libraries' figures are taken; then long enough for the power limit
// to settle, as in a run that goes on.
void add_product_rates(Workbench& bench, CublasLt& library, std::vector<DeviceConstant>& constants) {
  constexpr double kFlop = 2 * 8192.0 * 8192 * 8192;
  for (const auto& [scheme, name] : {std::pair("bf16", "bf16"), std::pair("fp8_static", "fp8")}) {
    try {
      const OperatorText op = OperatorText::parse(
          std::string("{\"family\":\"gemm\",\"scheme\":\"") + scheme + "\",\"m\":8192,\"n\":8192,\"k\":8192}",
          "constants");
      const Recipe recipe = library.gemm(op, bench);
      const auto prepared =
          make_graph_case(recipe.launch, {.l2_bytes = bench.l2_bytes, .graph_seconds = 12e-3}, "");
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      prepared->run();
      constants.push_back({std::string(name) + "_gemm_burst_tflop_per_s", 1e-12 * kFlop / prepared->run()});
      const MedianEstimate settled =
          sample_case(*prepared, {.fewest = 30, .most = 60, .seconds = 0.6, .warm_up = 20});
      constants.push_back({std::string(name) + "_gemm_tflop_per_s", 1e-12 * kFlop / settled.median});
    } catch (const Unmeasurable&) {
      continue;  // a GPU without this type
    }
  }
}

void add_gaps(const Workbench& bench, std::vector<DeviceConstant>& constants) {
  using Clock = std::chrono::steady_clock;
  const auto nothing = [](cudaStream_t s) { nothing_kernel<<<1, 32, 0, s>>>(); };
  constants.push_back({"graph_node_us", 1e6 * median_seconds(nothing, bench)});
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  constexpr int kLaunches = 1000;
  std::vector<double> each, round_trip;
  for (int repeat = 0; repeat < 9; ++repeat) {
    Clock::time_point start = Clock::now();
    for (int i = 0; i < kLaunches; ++i) nothing(stream);
    check(cudaStreamSynchronize(stream), "launching kernels");
    each.push_back(seconds_since(start) / kLaunches);
    start = Clock::now();
    nothing(stream);
    check(cudaStreamSynchronize(stream), "launching a kernel");
    round_trip.push_back(seconds_since(start));
  }
  cudaStreamDestroy(stream);
  constants.push_back({"launch_us", 1e6 * estimate_median(each).median});
  constants.push_back({"launch_and_wait_us", 1e6 * estimate_median(round_trip).median});
}

void add_transfers(Workbench& bench, std::vector<DeviceConstant>& constants) {
  constexpr std::size_t kBytes = std::size_t(256) << 20;
  void* host = nullptr;
  if (cudaMallocHost(&host, kBytes) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  void* device = bench.arena.scratch.take(kBytes);
  const auto seconds = [&](std::size_t bytes, cudaMemcpyKind kind) {
    void *to = kind == cudaMemcpyHostToDevice ? device : host,
         *from = kind == cudaMemcpyHostToDevice ? host : device;
    return median_seconds(
        [=](cudaStream_t s) { check(cudaMemcpyAsync(to, from, bytes, kind, s), "copying"); }, bench);
  };
  constants.push_back(
      {"host_to_device_gb_per_s", 1e-9 * double(kBytes) / seconds(kBytes, cudaMemcpyHostToDevice)});
  constants.push_back(
      {"device_to_host_gb_per_s", 1e-9 * double(kBytes) / seconds(kBytes, cudaMemcpyDeviceToHost)});
  constants.push_back({"host_to_device_us", 1e6 * seconds(64, cudaMemcpyHostToDevice)});
  cudaFreeHost(host);
}

}  // namespace

std::vector<DeviceConstant> measure_constants(Workbench& bench, CublasLt& library) {
  std::vector<DeviceConstant> constants;
  add_memory_rates(bench, constants);
  add_core_rates(bench, constants);
  add_product_rates(bench, library, constants);
  add_gaps(bench, constants);
  add_transfers(bench, constants);
  return constants;
}

}  // namespace warploom::collector
