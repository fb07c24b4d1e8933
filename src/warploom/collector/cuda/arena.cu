#include <cuda_fp8.h>

#include <algorithm>
#include <utility>

#include "warploom/collector/cuda/arena.cuh"
#include "warploom/collector/cuda/check.cuh"

namespace warploom::collector {
namespace {

constexpr std::size_t kAlignment = 256;

__device__ std::uint32_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return std::uint32_t((x ^ (x >> 31)) >> 16);
}

// The sum of four uniform numbers is close enough to a normal one: what counts is that bits toggle as in real
// data.
__device__ float roughly_normal(std::uint64_t index, std::uint64_t seed) {
  const std::uint32_t a = mixed(index * 2 + seed), b = mixed(index * 2 + 1 + seed);
  const float sum = float(a & 0xFFFF) + float(a >> 16) + float(b & 0xFFFF) + float(b >> 16);
  return (sum / 65536.0F - 2.0F) * 1.7320508F;
}

template <class T>
__global__ void fill_random(T* values, std::size_t count, std::uint64_t seed) {
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    values[i] = T(roughly_normal(i, seed));
}

__global__ void fill_constant(float* values, std::size_t count, float value) {
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    values[i] = value;
}

template <class T>
void fill_with(void* memory, std::size_t bytes, std::uint64_t seed) {
  fill_random<<<4096, 256>>>(static_cast<T*>(memory), bytes / sizeof(T), seed * 0x9E3779B97F4A7C15ULL);
  check(cudaGetLastError(), "filling memory with random values");
  check(cudaDeviceSynchronize(), "filling memory with random values");
}

}  // namespace

Pool::Pool(std::size_t bytes) : size_(bytes) {
  check(cudaMalloc(&memory_, bytes), "reserving device memory");
}
Pool::~Pool() { cudaFree(memory_); }
Pool::Pool(Pool&& other) noexcept { *this = std::move(other); }
Pool& Pool::operator=(Pool&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(cursor_, other.cursor_);
  return *this;
}

void* Pool::take(std::size_t bytes) {
  bytes = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > size_) throw Unmeasurable("buffers larger than the share of device memory kept for them");
  if (cursor_ + bytes > size_) cursor_ = 0;
  void* slice = static_cast<char*>(memory_) + cursor_;
  cursor_ += bytes;
  return slice;
}

void Pool::fill(Content content, std::uint64_t seed) {
  if (content == Content::Bf16) fill_with<__nv_bfloat16>(memory_, size_, seed);
  if (content == Content::Fp16) fill_with<__half>(memory_, size_, seed);
  if (content == Content::Bytes8) fill_with<__nv_fp8_e4m3>(memory_, size_, seed);
}

void Pool::fill(float value) {
  fill_constant<<<1024, 256>>>(static_cast<float*>(memory_), size_ / sizeof(float), value);
  check(cudaGetLastError(), "filling memory");
  check(cudaDeviceSynchronize(), "filling memory");
}

Arena::Arena(std::size_t free_bytes) {
  const std::size_t share = std::min(kLargestPool, free_bytes / 10 * 2) / kAlignment * kAlignment;
  bf16 = Pool(share);
  fp16 = Pool(share / 2);
  bytes8 = Pool(share / 2);
  scratch = Pool(share);
  ones = Pool(std::size_t(64) << 20);
  angles = Pool(std::size_t(32) << 20);
  bf16.fill(Content::Bf16, 1);
  fp16.fill(Content::Fp16, 2);
  bytes8.fill(Content::Bytes8, 3);
  scratch.fill(Content::Bf16, 4);
  ones.fill(1.0F);
  angles.fill(0.70710678F);
}

}  // namespace warploom::collector
