#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/sm_clock.cuh"

namespace warploom::collector {
namespace {

constexpr std::uint64_t kNanoseconds = 30000;

__device__ std::uint64_t nanoseconds_now() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// From one tick of the timer, which may be a microsecond long, to another.
__global__ void count_cycles(std::uint64_t* cycles, std::uint64_t* nanoseconds) {
  const std::uint64_t before = nanoseconds_now();
  std::uint64_t first = before, last = before;
  while (first == before) first = nanoseconds_now();
  const long long start = clock64();
  while (last < first + kNanoseconds) last = nanoseconds_now();
  *cycles = std::uint64_t(clock64() - start);
  *nanoseconds = last - first;
}

}  // namespace

SmClock::SmClock() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  stream_ = stream;
  const cudaError_t status =
      cudaHostAlloc(reinterpret_cast<void**>(&count_), sizeof(Count), cudaHostAllocMapped);
  if (status != cudaSuccess) cudaStreamDestroy(stream);
  check(status, "reserving host memory");
}

SmClock::~SmClock() {
  cudaFreeHost(count_);
  cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

double SmClock::megahertz() {
  const auto stream = static_cast<cudaStream_t>(stream_);
  count_cycles<<<1, 1, 0, stream>>>(&count_->cycles, &count_->nanoseconds);
  check(cudaGetLastError(), "counting clocks");
  check(cudaStreamSynchronize(stream), "counting clocks");
  return double(count_->cycles) * 1e3 / double(count_->nanoseconds);
}

}  // namespace warploom::collector
