#include "warploom/tuner/legality.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// CUDA keeps this much shared memory of every block for itself. Source: CUDA programming guide.
constexpr std::int64_t kReservedShared = 1024;
constexpr std::int64_t kThreadsPerWarp = 32;
constexpr std::int64_t kMostRegisters = 255;
constexpr int kMostSlots = 8;

bool attention(const TileKernel& kernel) { return reads_keys(kernel.kind); }

// fp32 accumulators that every thread holds; attention also holds the scores.
std::int64_t accumulators(const TileKernel& kernel, const TileConfig& config) {
  const std::int64_t columns = attention(kernel) ? kernel.head_dim + config.tile_n : config.tile_n;
  return config.tile_m * columns / (kThreadsPerWarp * config.warps);
}

bool power_of_two(std::int32_t value) { return value > 0 && std::has_single_bit(std::uint32_t(value)); }

}  // namespace

TileAxes default_axes(TileKernelKind kind) {
  switch (kind) {
    case TileKernelKind::Attention:
      return {{16, 32, 64, 128}, {32, 64, 128}, {0}, {4, 8}, {2, 3, 4}, {1}};
    case TileKernelKind::PagedDecode:
      return {{16, 32, 64}, {16, 32, 64, 128}, {0}, {4, 8}, {2, 3, 4}, {1, 2, 4, 8, 16}};
    case TileKernelKind::GroupedGemm:
      return {{16, 32, 64, 128, 256}, {32, 64, 128, 256}, {32, 64, 128}, {4, 8}, {2, 3, 4, 5}, {1}};
    default:
      return {{16, 32, 64, 128, 256}, {32, 64, 128, 256}, {32, 64, 128}, {4, 8}, {2, 3, 4, 5}, {1}};
  }
}

TileAxes split_axes(const std::vector<std::int32_t>& parts) {
  return {{16, 32, 64, 128}, {32, 64, 128}, {64, 128}, {4}, {3, 4}, parts};
}

std::string why_illegal(const TileKernel& kernel, const TileGpu& gpu, const TileConfig& config) {
  for (const std::int32_t tile : {config.tile_m, config.tile_n, config.tile_k, config.warps}) {
    if (!power_of_two(tile)) return fmt::format("{} is no power of two", tile);
  }
  if (config.stages < 1 || config.split_k < 1) return "stages and split_k start at 1";
  if (config.split_k > 1 && kernel.kind != TileKernelKind::Gemm && kernel.kind != TileKernelKind::PagedDecode)
    return "split_k is for gemm and paged_decode";
  if (kernel.kind == TileKernelKind::PagedDecode && config.tile_n % kernel.page_keys != 0 &&
      kernel.page_keys % config.tile_n != 0)
    return fmt::format("tiles of {} keys and pages of {}: neither holds the other whole", config.tile_n,
                       kernel.page_keys);
  if (config.warps > 32) return fmt::format("{} warps, a block has at most 32", config.warps);
  const std::int64_t shared = stage_bytes(kernel, config);
  // The compiler puts exchange buffers beside the stages.
  const std::int64_t allowed = gpu.shared_per_block - 7 * 1024;
  if (shared > allowed) return fmt::format("{} bytes of stages, a block has {}", shared, allowed);
  const std::int64_t held = accumulators(kernel, config);
  if (held > kMostRegisters) return fmt::format("{} accumulators a thread, at most {}", held, kMostRegisters);
  const std::int64_t area = std::int64_t{config.tile_m} * config.tile_n;
  if (!attention(kernel) && (area > 128 * 256 || area < 16 * 32)) return "a tile outside 16x32 to 128x256";
  if (area < 64 * 64 && config.warps > 4) return "too little work for the warps";
  if (!attention(kernel) && area >= 128 * 256 && config.warps < 8) return "too much work for the warps";
  return {};
}

std::vector<TileConfig> legal_space(const TileKernel& kernel, const TileGpu& gpu, const TileAxes& axes) {
  std::vector<TileConfig> space;
  std::string last = "no values were given";
  for (const auto m : axes.tile_m)
    for (const auto n : axes.tile_n)
      for (const auto k : axes.tile_k)
        for (const auto warps : axes.warps)
          for (const auto stages : axes.stages)
            for (const auto split : axes.split_k) {
              const TileConfig config{m, n, attention(kernel) ? n : k, warps, stages, split};
              std::string why = why_illegal(kernel, gpu, config);
              if (why.empty())
                space.push_back(config);
              else
                last = fmt::format("{}: {}", config_text(config), why);
            }
  if (space.empty())
    throw InvalidInput(
        fmt::format("kernel '{}' on {}: no legal configuration ({})", kernel.name, gpu.name, last));
  std::sort(space.begin(), space.end());
  space.erase(std::unique(space.begin(), space.end()), space.end());
  return space;
}

int most_slots(const TileKernel& kernel, const TileGpu& gpu, const TileConfig& config) {
  const std::int64_t threads = std::max<std::int64_t>(1, kThreadsPerWarp * config.warps);
  // Addresses and loop state take registers beside the accumulators.
  const std::int64_t registers = std::min<std::int64_t>(kMostRegisters, accumulators(kernel, config) + 24);
  const std::int64_t bounds[] = {gpu.shared_per_sm / (stage_bytes(kernel, config) + kReservedShared),
                                 gpu.registers_per_sm / (threads * registers), gpu.threads_per_sm / threads,
                                 gpu.blocks_per_sm, kMostSlots};
  return static_cast<int>(std::max<std::int64_t>(1, *std::min_element(std::begin(bounds), std::end(bounds))));
}

}  // namespace warploom
