#include <algorithm>
#include <cmath>

#include "warploom/base/divide_up.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/task_grid.h"

namespace warploom {
namespace {

constexpr double kSoftmaxFlopPerPair = 6;
constexpr double kWarpGroupRows = 64;  // that read keys and values from shared memory together

// sum of floor((a i + b) / m) over i in [0, n), a, b >= 0: Euclid's descent, O(log m).
double floor_sum(std::int64_t n, std::int64_t m, std::int64_t a, std::int64_t b) {
  double total = 0;
  while (n > 0) {
    total += double(a / m) * double(n) * double(n - 1) / 2 + double(b / m) * double(n);
    a %= m;
    b %= m;
    const double top = double(a) * double(n) + double(b);
    if (a == 0 || top < double(m)) break;
    const std::int64_t reach = a * n + b;
    n = reach / m;
    b = reach % m;
    std::swap(m, a);
  }
  return total;
}

// Steps over keys of the query tiles of one request and head. Tile t holds rows [t R, (t+1) R) of which
// `share` stand for one token; it sees keys up to its last token, from its first token's window.
class TileSteps {
 public:
  TileSteps(const AttentionView& view, const RequestGroup& group, const AttentionTiling& tiling)
      : share_(tiling.packs_group ? view.group : 1),
        rows_(tiling.query_rows),
        keys_(tiling.keys),
        context_(group.context_tokens),
        all_keys_(group.kv_tokens()),
        // Beyond all keys a window hides nothing.
        window_(view.causal ? std::min(view.window, group.kv_tokens()) : 0),
        causal_(view.causal) {
    tiles_ = divide_up(group.query_tokens * share_, rows_);
  }

  std::int64_t tiles() const { return tiles_; }

  double steps(std::int64_t tile) const {
    if (!causal_) return double(divide_up(all_keys_, keys_));
    const std::int64_t end = std::min(all_keys_, context_ + divide_up((tile + 1) * rows_, share_));
    return double(std::max<std::int64_t>(1, divide_up(end, keys_) - first_key(tile) / keys_));
  }

  TaskGroup group(double copies) const {
    TaskGroup result{.tasks = copies * double(tiles_)};
    const double last = steps(tiles_ - 1), first = steps(0), middle = steps(tiles_ / 2);
    result.least_steps = std::min({first, middle, last});
    result.most_steps = std::max({first, middle, last});
    result.mean_steps = causal_ && tiles_ > 2 ? total() / double(tiles_) : (first + last) / 2;
    if (!causal_ || tiles_ == 1) result.mean_steps = last;
    result.most_steps = std::max(result.most_steps, result.mean_steps);
    result.least_steps = std::min(result.least_steps, result.mean_steps);
    return result;
  }

 private:
  std::int64_t first_key(std::int64_t tile) const {
    if (window_ == 0) return 0;
    return std::max<std::int64_t>(0, context_ + tile * rows_ / share_ - window_ + 1);
  }

  // All tiles but the last end at their own token; ceil(x) = floor(x + (m - 1) / m) in whole numbers.
  double total() const {
    const std::int64_t scale = share_ * keys_;
    double sum = floor_sum(tiles_ - 1, scale, rows_, context_ * share_ + rows_ + scale - 1);
    if (window_ > 0) {
      const std::int64_t lead = window_ - 1 - context_;
      const std::int64_t skipped = lead > 0 ? std::min(tiles_ - 1, divide_up(lead * share_, rows_)) : 0;
      const std::int64_t offset = (context_ - window_ + 1) * share_ + skipped * rows_;
      sum -= floor_sum(tiles_ - 1 - skipped, scale, rows_, std::max<std::int64_t>(0, offset));
    }
    return sum + steps(tiles_ - 1);
  }

  std::int64_t share_, rows_, keys_, context_, all_keys_, window_;
  bool causal_;
  std::int64_t tiles_ = 1;
};

// Steps of one chunk when keys are split so that all chunks together fill the slots once.
double chunk_steps(const AttentionView& view, const AttentionTiling& tiling, double slots) {
  double total = 0;
  const double heads = double(tiling.packs_group ? view.kv_heads : view.heads());
  for (const RequestGroup& group : view.requests) {
    const TileSteps tiles(view, group, tiling);
    total += double(group.count) * heads * double(tiles.tiles()) * tiles.steps(tiles.tiles() - 1);
  }
  return std::max(2.0, std::ceil(total / slots));
}

// Steps of the longest part when each cache is cut into `splits` of them.
double steps_of_part(const AttentionView& view, const AttentionTiling& tiling, double splits) {
  double longest = 0;
  for (const RequestGroup& group : view.requests) {
    const TileSteps tiles(view, group, tiling);
    longest = std::max(longest, tiles.steps(tiles.tiles() - 1));
  }
  return std::max(1.0, std::ceil(longest / splits));
}

void add_groups(TaskGrid& grid, const AttentionView& view, const AttentionTiling& tiling, double chunk) {
  const double heads = double(tiling.packs_group ? view.kv_heads : view.heads());
  for (const RequestGroup& requests : view.requests) {
    TaskGroup group = TileSteps(view, requests, tiling).group(double(requests.count) * heads);
    if (chunk > 0 && group.most_steps > chunk) {
      const double splits = std::ceil(group.most_steps / chunk);
      group.tasks *= splits;
      group.mean_steps /= splits;
      group.least_steps = group.mean_steps;
      group.most_steps = std::ceil(group.most_steps / splits);
    }
    grid.add(group);
  }
}

}  // namespace

void add_attention_grid(KernelSequence& sequence, const AttentionView& view, const GpuSpec& gpu,
                        const AttentionTiling& tiling, double splits) {
  const MatrixUnit unit = attention_unit(view.compute, gpu);
  const double rows = double(tiling.query_rows), keys = double(tiling.keys);
  const double width = double(view.key_dim + view.value_dim);
  const double cache_bytes =
      double(view.key_dim + (view.value_in_key ? 0 : view.value_dim)) * bytes_per_element(view.kv_cache);
  const double query_bytes = bytes_per_element(view.compute);
  const Work work = attention_work(view);
  const double dram = work.unique_bytes().value();

  TaskGrid& grid = sequence.next();
  grid.kernel = "attention";
  grid.tensor_rate = unit.flop_per_clock_per_sm;
  grid.occupancy = tiling.occupancy;
  grid.order = tiling.longest_first ? TaskOrder::LongestFirst : TaskOrder::NextFree;
  // Rows beyond the query tokens are padding that the matrix unit multiplies all the same.
  (unit.tensor ? grid.per_step.tensor_flop : grid.per_step.fma_flop) = 2 * rows * keys * width;
  grid.per_step.fma_flop += kSoftmaxFlopPerPair * rows * keys;
  grid.per_step.special_ops = rows * keys;
  grid.per_step.l2_bytes = keys * cache_bytes;
  grid.per_step.shared_bytes = keys * cache_bytes * (1 + std::max(1.0, rows / kWarpGroupRows));
  grid.per_task.l2_bytes = rows * (double(view.key_dim) * query_bytes + double(view.value_dim) * 2);

  const double slots = double(gpu.sm_count) * tiling.occupancy;
  double chunk = tiling.splits_keys && splits == 0 ? chunk_steps(view, tiling, slots) : 0;
  if (splits > 1) chunk = steps_of_part(view, tiling, splits);
  add_groups(grid, view, tiling, chunk);
  grid.per_task.dram_bytes = dram / grid.tasks();

  const double heads = double(tiling.packs_group ? view.kv_heads : view.heads());
  double unsplit = 0;
  for (const RequestGroup& group : view.requests) {
    unsplit += double(group.count) * heads * double(TileSteps(view, group, tiling).tiles());
  }
  if (grid.tasks() > unsplit) {
    Work combine;
    combine.input_bytes =
        Bytes((grid.tasks() - unsplit) * std::min(rows, double(view.group)) * double(view.value_dim) * 4);
    combine.output_bytes = work.output_bytes;
    add_streaming_grid(sequence, combine, "combine splits");
  }
}

}  // namespace warploom
