// Device memory that every operator borrows: large pools of random values to read, one pool to write to.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

namespace warploom::collector {

enum class Content { Bf16, Fp16, Bytes8 };  // Bytes8: finite fp8 (e4m3) values, and as good for int8

// One pool. Slices follow one another and begin anew at the end, so that launches that each take a fresh
// slice read what the cache no longer holds.
class Pool {
 public:
  Pool() = default;
  explicit Pool(std::size_t bytes);  // throws Unmeasurable without the memory
  ~Pool();
  Pool(Pool&& other) noexcept;
  Pool& operator=(Pool&& other) noexcept;

  // 256-byte aligned; valid until the pool goes. Throws Unmeasurable when it is larger than the pool.
  void* take(std::size_t bytes);
  std::size_t size() const { return size_; }
  void fill(Content content, std::uint64_t seed);  // normal values, standard deviation 1 (fp8: 1)
  void fill(float value);

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0, cursor_ = 0;
};

struct Arena {
  // Takes a share of the free memory, at most kLargestPool each.
  explicit Arena(std::size_t free_bytes);
  static constexpr std::size_t kLargestPool = std::size_t(10) << 30;
  Pool& values(Content content) {
    return content == Content::Bf16 ? bf16 : content == Content::Fp16 ? fp16 : bytes8;
  }
  Pool bf16, fp16, bytes8, scratch;
  Pool ones;    // scales
  Pool angles;  // cosines and sines of an eighth of a turn
};

}  // namespace warploom::collector
