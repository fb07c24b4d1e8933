// Rows of blocks that are the host's time.
//
// Some collectors launch a block's kernels one by one from the host. Small rows of theirs are the host's
// time, whatever the size: such a row is recognised by the floor that the smallest rows of its kernel stand
// on.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/measurements/internal/row_sink.h"

namespace warploom {

inline constexpr std::string_view kHostFloor =
    "a host floor of kernels launched one by one: no kernel's time";

// The floors of one table: of each kernel the least, over numbers of heads, of the median small row. Made by
// a pass over the file of its own. Needs the columns num_heads, batch_size, step, latency_us and, of prompts,
// isl.
class HostFloors {
 public:
  // `shared`: the columns that rows of one floor have in common, which is all but the sizes.
  HostFloors(const Table& of, std::span<const std::string_view> shared);
  // Whether the row at which a table of the same file stands is the host's.
  bool hold(const Table& at) const;

 private:
  std::string kernel_of(const Table& table) const;

  std::vector<std::size_t> shared_;
  std::size_t latency_;
  std::map<std::string, double> floors_;  // seconds
};

}  // namespace warploom
