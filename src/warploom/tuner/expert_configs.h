// The look-up that a layer of experts asks at every launch: tokens in, one configuration for both products
// out.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "warploom/tuner/expert_products.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

struct ExpertPick {
  TileConfig config;
  float predicted_us = 0;  // both products; 0: tokens out of range
  bool keeps_own = false;  // what the caller launches anyway is as good, within kTableError
};

// One layer of one table. The configuration of least time for both products is often the best for neither,
// so all of the table's are compared, which takes some 100 us; what was found is remembered by the number of
// tokens. Any number of threads may pick, without locks: they find the same.
class ExpertConfigs {
 public:
  // Throws InvalidInput where the table is of another kernel than grouped products, or of another top_k, and
  // on sizes outside [1, 2^30).
  ExpertConfigs(RuntimeTable table, const ExpertLayer& layer);

  // Among configurations without parts of k. `own`: what the caller launches without a table; NULL: none.
  // Tokens outside [1, 2^30 / top_k), or a table that splits k in all of its configurations, give `own`, or
  // the table's default, with predicted_us = 0.
  ExpertPick pick(std::int64_t tokens, const TileConfig* own) const noexcept;

  const RuntimeTable& table() const { return table_; }

 private:
  // Indices plus one, 0: none; a time of 0: not looked for.
  // Aligned to its size: clang's atomics ask a library for others.
  struct alignas(8) Found {
    std::uint16_t own = 0, config = 0;
    float predicted_us = 0;
  };
  Found find(std::int64_t tokens, std::uint16_t own) const;
  std::optional<std::uint32_t> index_of(const TileConfig& config) const noexcept;

  RuntimeTable table_;
  ExpertLayer layer_;
  std::vector<TileConfig> configs_;                          // by index
  std::vector<std::pair<TileConfig, std::uint32_t>> known_;  // sorted
  std::unique_ptr<std::atomic<Found>[]> found_;              // by tokens, for the last `own`
};

}  // namespace warploom
