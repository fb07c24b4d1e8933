#include "warploom/kernels/attention/collector_attention_base.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

constexpr double kWidthOfNarrow = 64;  // the kernels are compiled for heads of 64 and of 128 elements

// Prefill.
constexpr double kQueries = 128, kKeys = 64;
constexpr double kStepNarrow = 3020, kStepWide = 3950;  // clocks; the kernel waits for its loads
constexpr double kTaskSteps = 1.5;                      // queries in, results out, in steps
constexpr double kPrefillLaunch = 900;                  // clocks
constexpr double kPrefillDramShare = 0.26;
constexpr double kPrefillOverlap = 4;
constexpr std::size_t kMostDealt = 4096, kMostSms = 512;
constexpr double kUndealtTail = 0.5;  // of the longest block

// Decode.
constexpr double kPageTokens = 16, kWarps = 4, kRows = 16, kLeastSplit = 256;
constexpr double kWantedBlocksPerSm = 4;  // at which the kernel stops to split caches
constexpr double kBlocksPerSmNarrow = 4, kBlocksPerSmWide = 2;
constexpr double kPageNarrow = 1100, kPageWide = 1525;  // clocks of a warp
constexpr double kDecodeLaunch = 8000, kCombineLaunch = 5250, kCombinePart = 2, kBlockClocks = 20;
constexpr double kDecodeOverlap = 2;

bool is_narrow(const AttentionView& view) { return double(view.key_dim) <= kWidthOfNarrow; }

// When each SM is free, earliest first.
class FreeTimes {
 public:
  explicit FreeTimes(std::size_t sms) : count_(sms) {}
  void deal(double clocks) {
    last_ = std::max(last_, times_[0] += clocks);
    for (std::size_t at = 0, next = 1; next < count_; at = next, next = 2 * at + 1) {
      if (next + 1 < count_ && times_[next + 1] < times_[next]) ++next;
      if (times_[at] <= times_[next]) break;
      std::swap(times_[at], times_[next]);
    }
  }
  double last() const { return last_; }

 private:
  std::size_t count_;
  std::array<double, kMostSms> times_{};
  double last_ = 0;
};

// Steps of all `tiles` of a request: every tile but the last ends two steps of keys after the one before.
double steps_of_tiles(const AttentionView& view, const RequestGroup& group, double tiles) {
  const double last = std::ceil(double(group.kv_tokens()) / kKeys);
  if (!view.causal) return tiles * last;
  const double before = std::ceil(double(group.context_tokens) / kKeys);
  return (tiles - 1) * (before + tiles * (kQueries / kKeys) / 2) + last;
}

// Steps of the tile that is `place` from the last one.
double steps_of_tile(const AttentionView& view, const RequestGroup& group, double place, double tiles) {
  const double keys = double(group.context_tokens + group.query_tokens);
  if (!view.causal) return std::ceil(keys / kKeys);
  const double seen = double(group.context_tokens) + (tiles - place) * kQueries;
  return std::ceil(std::min(keys, seen) / kKeys);
}

struct Dealt {
  double blocks = 0, steps = 0, longest = 0;  // steps of all, of one
};

template <class Each>
void for_each_tile(const AttentionView& view, const Each& each) {
  for (const RequestGroup& group : view.requests) {
    const double tiles = std::ceil(double(group.query_tokens) / kQueries);
    each(group, tiles);
  }
}

Dealt count_blocks(const AttentionView& view) {
  Dealt all;
  for_each_tile(view, [&](const RequestGroup& group, double tiles) {
    const double rows = double(group.count) * double(view.heads());
    all.steps += rows * steps_of_tiles(view, group, tiles);
    all.longest = std::max(all.longest, steps_of_tile(view, group, 0, tiles));
    all.blocks += rows * tiles;
  });
  return all;
}

double makespan(const AttentionView& view, const Dealt& all, double sms, double step) {
  const double task = kTaskSteps * step;
  if (all.blocks <= sms) return all.longest * step + task;
  if (all.blocks > double(kMostDealt) || sms > double(kMostSms))
    return (all.steps * step + all.blocks * task) / sms + kUndealtTail * all.longest * step;
  FreeTimes free(static_cast<std::size_t>(sms));
  for_each_tile(view, [&](const RequestGroup& group, double tiles) {
    for (std::int64_t row = 0; row < group.count * view.heads(); ++row)
      for (double place = 0; place < tiles; ++place)
        free.deal(steps_of_tile(view, group, place, tiles) * step + task);
  });
  return free.last();
}

}  // namespace

AttentionBase collector_prefill_base(const AttentionView& view, const GpuSpec& gpu) {
  const double clock = clock_under_load(gpu, ClockRule::DataSheet).hertz, sms = double(gpu.sm_count);
  const double step = is_narrow(view) ? kStepNarrow : kStepWide;
  const Dealt all = count_blocks(view);
  const AttentionTotals totals = attention_totals(view);
  AttentionBase base;
  base.tasks = all.blocks;
  base.steps = all.steps / all.blocks;
  base.longest = (all.longest + kTaskSteps) * step / clock;
  const double span = makespan(view, all, sms, step);
  base.compute = span / clock;
  base.balance = std::max(1.0, span * sms / ((all.steps + all.blocks * kTaskSteps) * step));
  base.overlap = kPrefillOverlap;
  const double bytes = totals.keys * view.cache_width() * bytes_per_element(view.kv_cache) +
                       totals.queries * double(view.heads()) * double(view.key_dim + view.value_dim) *
                           bytes_per_element(view.compute);
  base.memory = bytes / (kPrefillDramShare * gpu.memory_bandwidth.value());
  base.launch = kPrefillLaunch / clock;
  base.seconds = base.launch + power_sum(base.compute, base.memory, kPrefillOverlap);
  return base;
}

AttentionBase collector_decode_base(const AttentionView& view, const GpuSpec& gpu) {
  const double clock = clock_under_load(gpu, ClockRule::DataSheet).hertz, sms = double(gpu.sm_count);
  const double tiles = std::ceil(double(view.group) / kRows);
  const double slots = sms * (is_narrow(view) ? kBlocksPerSmNarrow : kBlocksPerSmWide);
  const double page = is_narrow(view) ? kPageNarrow : kPageWide;
  AttentionBase base;
  base.tasks = 0;
  double clocks = 0, parts = 0, steps = 0;
  for (const RequestGroup& group : view.requests) {
    const double tokens = double(group.context_tokens + group.query_tokens);
    const double unsplit = double(group.count) * double(view.kv_heads) * tiles;
    const double wanted = std::ceil(kWantedBlocksPerSm * sms / unsplit);
    const double splits = std::clamp(wanted, 1.0, std::max(1.0, std::floor(tokens / kLeastSplit)));
    const double pages = std::ceil(std::ceil(std::ceil(tokens / kPageTokens) / splits) / kWarps);
    const double blocks = unsplit * splits;
    const double bytes = std::ceil(tokens / kPageTokens) * kPageTokens / splits *
                         double(view.key_dim + view.value_dim) * bytes_per_element(view.kv_cache);
    const auto wave = [&](double of) {  // clocks of `of` blocks at once
      const double streamed = of * bytes / gpu.memory_bandwidth.value() * clock;
      return power_sum(pages * page, streamed, kDecodeOverlap);
    };
    const double full = std::floor(blocks / slots), rest = blocks - full * slots;
    clocks += full * wave(slots) + (rest > 0 ? wave(rest) : 0.0) + blocks * kBlockClocks;
    base.memory += blocks * bytes / gpu.memory_bandwidth.value();
    base.longest = std::max(base.longest, pages * page / clock);
    base.splits = std::max(base.splits, splits);
    base.tasks += blocks / (slots / sms);  // in blocks that have an SM to themselves
    steps += blocks * pages;
    if (splits > 1) parts += double(group.count) * double(view.heads()) * splits;
  }
  base.steps = steps / (base.tasks * slots / sms);
  base.compute = clocks / clock;
  base.write = parts > 0 ? (kCombineLaunch + parts * kCombinePart) / clock : 0.0;
  base.launch = kDecodeLaunch / clock;
  base.overlap = std::numeric_limits<double>::infinity();  // compute holds the streaming of its waves
  base.seconds = base.launch + base.compute + base.write;
  return base;
}

}  // namespace warploom
