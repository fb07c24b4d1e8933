#include "warploom/tuned_files/adapter_launches.h"

#include <algorithm>
#include <bit>

#include "warploom/tuned_files/launch_pricing.h"
#include "warploom/tuner/modelled_times.h"

namespace warploom {
namespace {

constexpr std::int64_t kMostTokens = 8192;
constexpr std::int64_t kMostChunk = 128;
constexpr std::int32_t kExpertRows = 64;  // vLLM sorts tokens by it, once for both products

std::int32_t power_of(std::int64_t size) {
  return static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
}

std::vector<std::int32_t> up_to(std::vector<std::int32_t> values, std::int32_t most) {
  std::erase_if(values, [&](std::int32_t value) { return value > most; });
  return values;
}

// Without a file every kernel of adapters has 4 warps.
struct Usual {
  std::int32_t rows = 16, columns = 16, depth = 16, stages = 3, group = 1, parts = 1;

  MoeConfig config() const {
    return {.tile = {.tile_m = rows,
                     .tile_n = columns,
                     .tile_k = depth,
                     .warps = 4,
                     .stages = stages,
                     .split_k = parts},
            .group_m = group};
  }
};

TileAxes axes_of(const TunedFile& file, std::int64_t tokens) {
  const AdapterFile& adapters = *file.adapters;
  const std::int32_t room = std::max(16, power_of(adapters.rank));
  const bool chunked = file.kernel == TunedKernel::ChunkedLora;
  TileAxes axes{.tile_m = {16, 32, 64, 128},
                .tile_n = up_to({16, 32, 64, 128}, adapters.shrinks ? room : 128),
                .tile_k = up_to({16, 32, 64, 128, 256}, adapters.shrinks ? 256 : room),
                .warps = {4, 8},
                .stages = {2, 3, 4},
                .split_k = {1}};
  if (chunked) {
    axes.tile_m = {static_cast<std::int32_t>(tokens)};
  } else if (adapters.experts > 0) {
    axes.tile_m = {kExpertRows};
  } else if (adapters.shrinks) {
    axes.split_k = {1, 2, 4, 8, 16, 32, 64};
  } else {
    // One on Hopper whatever is asked for, since the sums of rank are fp32.
    axes.stages = {2};
    // More sums a thread than 64 took up to 1.9 times the best at products of 1,024 tokens and more; eight
    // warps were hardly ever the best (an H200, tests/fixtures/tuner/engine_kernels).
    axes.tile_m = {16, 32, 64};
    axes.tile_n = {32, 64, 128};
    axes.tile_k = {std::min(64, room)};
    axes.warps = {4};
  }
  return axes;
}

TileKernel kernel_of(const TunedFile& file, const AdapterProduct& product) {
  const AdapterFile& adapters = *file.adapters;
  TileKernel kernel{.name = "lora", .output_bytes = adapters.shrinks ? 4 : 2};
  if (adapters.experts > 0) {
    kernel.kind = TileKernelKind::GroupedGemm;
    kernel.experts = adapters.experts * adapters.adapters;
    kernel.top_k = adapters.top_k;
    return kernel;
  }
  // SGLang's slices lie side by side on the way down.
  const bool beside = file.kernel == TunedKernel::ChunkedLora && adapters.shrinks;
  kernel.batch = adapters.adapters * (beside ? 1 : product.slices);
  return kernel;
}

TileShape shape_of(const TunedFile& file, const AdapterProduct& product, std::int64_t tokens) {
  const AdapterFile& adapters = *file.adapters;
  if (adapters.experts > 0) return {tokens * adapters.top_k, product.n, product.k};
  if (file.kernel == TunedKernel::ChunkedLora)
    return {tokens, adapters.shrinks ? product.outputs : product.n, product.k};
  return {(tokens + adapters.adapters - 1) / adapters.adapters, product.n, product.k};
}

KeyLaunches launches_at(const TunedFile& file, const AdapterProduct& product, std::int64_t tokens,
                        const GpuSpec& gpu) {
  const MoeConfig usual = default_adapter_launch(file, product.slices, tokens);
  const WaveModel model = priced_tiles(kernel_of(file, product), gpu, axes_of(file, tokens), usual.tile);
  return priced_launches(tokens, {tokens}, usual, model, unmeasured_errors(), [&](std::int64_t count) {
    return modelled_times(model, shape_of(file, product, count));
  });
}

std::vector<std::int64_t> keys_below(const AdapterFile& adapters, const AdapterProduct& product) {
  if (adapters.experts > 0) return {adapters.rank, adapters.hidden, adapters.width};
  return {product.k, product.n};
}

// Where no product of the model has so many slices: the engine's, with a key on each side of the rule's 128
// tokens.
void add_defaults(std::vector<KeyLaunches>& found, const TunedFile& file, std::int64_t slices,
                  const std::vector<std::int64_t>& above, const std::vector<std::int64_t>& below) {
  for (const std::int64_t tokens : {std::int64_t{1}, std::int64_t{254}}) {
    const MoeConfig usual = default_adapter_launch(file, slices, tokens);
    found.push_back({.key = tokens,
                     .above = above,
                     .below = below,
                     .usual = usual,
                     .configs = {usual},
                     .log_times = {0},
                     .errors = unmeasured_errors()});
  }
}

std::vector<KeyLaunches> chunked(const TunedFile& file, const GpuSpec& gpu) {
  std::vector<KeyLaunches> found;
  for (std::int64_t rows = 16; rows <= kMostChunk; rows *= 2)
    found.push_back(launches_at(file, file.adapters->products.front(), rows, gpu));
  return found;
}

}  // namespace

MoeConfig default_adapter_launch(const TunedFile& file, std::int64_t slices, std::int64_t tokens) {
  const AdapterFile& adapters = *file.adapters;
  const std::int32_t room = power_of(adapters.rank);
  if (file.kernel == TunedKernel::ChunkedLora) {
    Usual usual{.rows = static_cast<std::int32_t>(tokens), .columns = 64};
    if (adapters.shrinks) usual = {.rows = usual.rows, .depth = 256};
    return usual.config();
  }
  if (adapters.experts > 0) {
    Usual usual{.rows = kExpertRows, .columns = 64, .depth = 32, .group = 8};
    (adapters.shrinks ? usual.columns : usual.depth) =
        adapters.shrinks ? std::min(usual.columns, room) : std::max(16, std::min(usual.depth, room));
    return usual.config();
  }
  if (!adapters.shrinks)
    return Usual{.rows = 64, .columns = slices > 1 ? 64 : 128, .depth = 32, .stages = 2}.config();
  const bool few = tokens < 128;
  return Usual{.rows = 32, .depth = few ? 256 : 32, .stages = 2, .group = 8, .parts = few ? 64 : 8}.config();
}

std::vector<KeyLaunches> adapter_launches(const TunedFile& file, const GpuSpec& gpu) {
  const AdapterFile& adapters = *file.adapters;
  if (file.kernel == TunedKernel::ChunkedLora) return chunked(file, gpu);
  const std::int64_t slots = adapters.experts > 0 ? adapters.adapters : adapters.adapters + 1;
  std::vector<KeyLaunches> found;
  for (std::int64_t slices = 1; slices <= kMostSlices; ++slices) {
    const std::size_t before = found.size();
    for (const AdapterProduct& product : adapters.products) {
      if (product.slices != slices) continue;
      for (std::int64_t tokens = 1; tokens <= kMostTokens; tokens *= 2) {
        KeyLaunches at = launches_at(file, product, tokens, gpu);
        at.above = {slots, slices};
        at.below = keys_below(adapters, product);
        found.push_back(std::move(at));
      }
    }
    if (found.size() == before)
      add_defaults(found, file, slices, {slots, slices}, keys_below(adapters, adapters.products.front()));
  }
  return found;
}

}  // namespace warploom
