#include "warploom/models/mega_moe_buffer.h"

#include <algorithm>
#include <array>

#include "warploom/base/divide_up.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

// Rows of a block that the kernel chooses between, and what all of them divide.
constexpr std::array<std::int64_t, 8> kBlockRows{8, 16, 32, 64, 96, 128, 192, 240};
constexpr std::int64_t kAllBlocksDivide = 1920;
constexpr std::int64_t kScaleRows = 128, kPerScale = 32;  // rows of a page of scales, values of one scale
constexpr std::int64_t kColumns = 256;                    // of a pair of SMs
constexpr double kSignalBytes = 20.0 * 1024 * 1024;       // of the ring, 20 bytes a block

std::int64_t round_up(std::int64_t value, std::int64_t step) { return divide_up(value, step) * step; }

// Blocks of the pool that are alive at once: filled by the first product before the second has read them.
std::int64_t live_blocks(const MegaMoeShape& shape, std::int64_t blocks) {
  const std::int64_t clusters = shape.sms / 2;
  const std::int64_t first = shape.intermediate * 2 / kColumns, second = shape.hidden / kColumns;
  const std::int64_t for_second = divide_up(divide_up(clusters, second) * first, clusters);
  const std::int64_t behind = std::max<std::int64_t>(0, first - second);
  const std::int64_t interleaved = divide_up(first + (blocks - 1) * behind, clusters) + 1;
  const std::int64_t waves = std::min(std::max(for_second, interleaved), divide_up(blocks * first, clusters));
  const std::int64_t warm = divide_up(std::min(waves * clusters, blocks * first), first);
  const std::int64_t growth = second > first ? divide_up(blocks * (second - first), second) : 0;
  return std::min(blocks, warm + growth + divide_up(clusters, std::min(first, second)));
}

}  // namespace

Bytes mega_moe_buffer(const MegaMoeShape& shape) {
  WARPLOOM_ASSERT(shape.ranks > 0 && shape.tokens > 0 && shape.sms > 1 && shape.experts >= shape.ranks);
  WARPLOOM_ASSERT(shape.hidden >= kColumns && shape.intermediate * 2 >= kColumns);
  const std::int64_t tokens = round_up(shape.tokens, kAllBlocksDivide);
  const std::int64_t local = shape.experts / shape.ranks, active = std::min(shape.top_k, local);
  const std::int64_t routed = tokens * shape.ranks * active;
  std::int64_t ring = 0;
  for (const std::int64_t rows : kBlockRows)
    ring = std::max(ring, live_blocks(shape, divide_up(routed, rows) + local) * rows);
  ring = round_up(ring, kAllBlocksDivide);
  std::int64_t scales = 0;
  for (const std::int64_t rows : kBlockRows)
    scales = std::max(scales, ring / rows * round_up(rows, kScaleRows));
  const std::int64_t pool = round_up(routed + local * (kBlockRows.back() - 1), kAllBlocksDivide);

  const double hidden = double(shape.hidden), width = double(shape.intermediate);
  const double choices = double(shape.top_k), shared_width = width * double(shape.shared_experts);
  const double hidden_scales = hidden / kPerScale, width_scales = width / kPerScale;
  constexpr double kIndex = 4, kSource = 12, kChoice = 8 + 4;  // bytes; a choice is an index and a weight
  double bytes = kSignalBytes + double(shape.experts) * double(tokens) * kIndex + double(pool) * kSource;
  bytes += double(tokens) * (hidden + hidden_scales + choices * kChoice);
  if (shape.shared_experts > 0) {
    const double pages = double(divide_up(tokens, kBlockRows.front()) * kScaleRows);
    bytes += pages * (hidden_scales + shared_width / kPerScale) + double(tokens) * shared_width;
  }
  bytes += double(ring) * (hidden + width + kIndex) + double(scales) * (hidden_scales + width_scales);
  constexpr double kReturned = 2;  // bf16
  bytes += (choices + (shape.shared_experts > 0 ? 1 : 0)) * double(tokens) * kReturned * hidden;
  return Bytes(bytes);
}

}  // namespace warploom
