// Paged KV cache by counts: which block holds what does not matter until prefixes are shared.
// Invariant: 0 <= free <= total; every block taken is given back exactly once (bugs assert).
#pragma once

#include <cstdint>

namespace warploom {

class KvCache {
 public:
  // Both at least 1; throws InvalidInput.
  KvCache(std::int64_t total_blocks, std::int64_t block_size);

  std::int64_t total_blocks() const { return total_; }
  std::int64_t free_blocks() const { return free_; }
  std::int64_t used_blocks() const { return total_ - free_; }
  std::int64_t block_size() const { return block_size_; }
  std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_size_ - 1) / block_size_; }

  // Takes `blocks` blocks; false and no change when fewer are free.
  bool allocate(std::int64_t blocks) {
    if (blocks > free_) return false;
    free_ -= blocks;
    return true;
  }
  void release(std::int64_t blocks);

 private:
  std::int64_t total_, free_, block_size_;
};

}  // namespace warploom
