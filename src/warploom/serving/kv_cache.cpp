#include "warploom/serving/kv_cache.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

KvCache::KvCache(std::int64_t total_blocks, std::int64_t block_size)
    : total_(total_blocks), free_(total_blocks), block_size_(block_size) {
  if (total_blocks < 1 || block_size < 1) {
    throw InvalidInput(fmt::format("KV cache: {} blocks of {} tokens, expected at least 1 of each",
                                   total_blocks, block_size));
  }
}

void KvCache::release(std::int64_t blocks) {
  WARPLOOM_ASSERT(blocks >= 0 && free_ + blocks <= total_);
  free_ += blocks;
}

}  // namespace warploom
