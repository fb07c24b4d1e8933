#include "warploom/baselines/kernelsight/product_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/tiled_product.h"

namespace warploom::baselines {
namespace {

// Typical of cuBLAS on A100 to B200, rounded; decision 0010 has the fit that they come from.
constexpr double kStep = 64;              // elements of the inner length
constexpr double kStepClocks = 25;        // of one step, beside its products
constexpr double kBlockClocks = 1300;     // of a block's first and last step
constexpr double kOutputClocks = 0.024;   // per byte written
constexpr double kFeedBytes = 100;        // of operands into one SM, per clock
constexpr double kRateExponent = 0.4;     // (rows / 128)^x of the rate of a smaller tile
constexpr double kSplitMicroseconds = 3;  // to add up slices
constexpr double kStages = 4;             // steps buffered in shared memory
constexpr double kLargestTile = 32768, kLargestTensorMemoryTile = 65536;  // elements
constexpr double kSmallestTile = 1024;
constexpr std::array<double, 4> kColumns{32, 64, 128, 256};
constexpr std::array<double, 8> kSplits{1, 2, 3, 4, 6, 8, 12, 16};

double saturation(double side) { return side >= 128 ? 1 : std::pow(side / 128, kRateExponent); }

}  // namespace

ProductBlocks product_blocks(const Gemm& op, const GpuSpec& gpu) {
  const TiledProduct product = tiled_product(op, gpu);
  const double rate = matrix_unit(op.scheme, gpu).flop_per_clock_per_sm;
  const double sms = double(gpu.sm_count), steps = std::ceil(product.k / kStep);
  const double largest = has_tensor_memory(gpu) ? kLargestTensorMemoryTile : kLargestTile;
  ProductBlocks best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < kRowBlocks.size(); ++i) {
    const double rows = double(kRowBlocks[i]);
    if (i > 1 && product.row_tiles[i - 1] == product.row_tiles[i]) break;  // a taller tile only pads
    for (const double columns : kColumns) {
      if (rows * columns > largest || rows * columns < kSmallestTile) continue;
      const double operands = (rows * product.activation_bytes + columns * product.weight_bytes) * kStep;
      const double products = 2 * rows * columns * kStep / (rate * saturation(rows) * saturation(columns));
      const double step_clocks = std::max(products, operands / kFeedBytes) + kStepClocks;
      const double block_clocks = kBlockClocks + kOutputClocks * rows * columns * product.output_bytes;
      const double tiles = product.row_tiles[i] * std::ceil(product.n / columns);
      for (const double split : kSplits) {
        if (split > 1 && (!product.may_split || tiles * split > 2 * sms || steps < 2 * split)) break;
        double clocks =
            std::ceil(tiles * split / sms) * (block_clocks + step_clocks * std::ceil(steps / split));
        if (split > 1) clocks += kSplitMicroseconds * 1e-6 * gpu.boost_clock.value();
        if (clocks >= least) continue;
        least = clocks;
        best = {.blocks = tiles * split,
                .occupancy = std::clamp(std::floor(gpu.shared_memory_per_sm.value() / (kStages * operands)),
                                        1.0, 4.0)};
      }
    }
  }
  return best;
}

}  // namespace warploom::baselines
