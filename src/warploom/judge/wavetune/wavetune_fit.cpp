#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"
#include "warploom/judge/wavetune/grid_loop.h"
#include "warploom/judge/wavetune/wavetune_model.h"
#include "warploom/judge/wavetune/wavetune_table.h"

namespace warploom {
namespace {

// What most hand-written kernels start from; the default where it was measured.
constexpr TileConfig kUsualStart{128, 128, 64, 8, 3, 1};

// One shape of a macro configuration: the times of its micro configurations.
struct MacroAnchor {
  GridLoop at;
  std::int64_t waves = 1;
  bool near_square = true;
  std::vector<const TileSample*> micro;

  double best_us() const {
    double least = micro.front()->median_us;
    for (const TileSample* sample : micro) least = std::min(least, sample->median_us);
    return least;
  }
};
using MacroAnchors = std::vector<MacroAnchor>;

TileConfig macro_of(TileConfig config) {
  config.warps = config.stages = 0;
  return config;
}

bool is_near_square(const TileKernel& kernel, const ShapeTerms& terms, const MacroSizes& sizes) {
  if (reads_keys(kernel.kind)) return true;
  const double rows = kernel.kind == TileKernelKind::GroupedGemm ? terms.rows_each : terms.m;
  const double height = detail::whole_tiles(rows, sizes.tile_m, sizes.per_m) * sizes.tile_m,
               width = detail::whole_tiles(terms.n, sizes.tile_n, sizes.per_n) * sizes.tile_n;
  return width <= kMostAspect * height && height <= kMostAspect * width;
}

std::map<TileConfig, MacroAnchors> anchors_of(const WaveTuneModel& model,
                                              std::span<const TileSample> samples) {
  const MappingConstants constants(model.kernel, model.gpu);
  std::map<TileConfig, std::map<TileShape, MacroAnchor>> by_shape;
  for (const TileSample& sample : samples) {
    check_shape(sample.shape, "sample");
    MacroAnchor& anchor = by_shape[macro_of(sample.config)][sample.shape];
    if (anchor.micro.empty()) {
      const ShapeTerms terms(constants, sample.shape);
      const MacroSizes sizes(sample.config);
      anchor.at = grid_and_loop(constants, terms, sizes);
      anchor.waves = waves_of(anchor.at.grid, 1.0 / double(model.gpu.sms));
      anchor.near_square = is_near_square(model.kernel, terms, sizes);
    }
    anchor.micro.push_back(&sample);
  }
  std::map<TileConfig, MacroAnchors> anchors;
  for (auto& [macro, shapes] : by_shape) {
    MacroAnchors& all = anchors[macro];
    for (auto& [shape, anchor] : shapes) all.push_back(std::move(anchor));
    const auto skinny = [](const MacroAnchor& anchor) { return !anchor.near_square; };
    if (!std::all_of(all.begin(), all.end(), skinny)) std::erase_if(all, skinny);
  }
  return anchors;
}

// The micro configuration with the least mean loss over the anchors of one loop count. One that was not timed
// at an anchor counts there as the slowest that was.
LoopAnchor best_micro(double loop, std::span<const MacroAnchor* const> anchors) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> loss;
  double unmeasured = 0;  // of the anchors before the one at hand
  for (const MacroAnchor* anchor : anchors) {
    const double best = anchor->best_us();
    double slowest = 0;
    std::map<std::pair<std::int32_t, std::int32_t>, double> here;
    for (const TileSample* sample : anchor->micro) {
      const double share = std::log(sample->median_us / best);
      here.emplace(std::pair(sample->config.warps, sample->config.stages), share);
      slowest = std::max(slowest, share);
    }
    for (const auto& [micro, share] : here) loss.emplace(micro, unmeasured);
    for (auto& [micro, sum] : loss) sum += here.contains(micro) ? here[micro] : slowest;
    unmeasured += slowest;
  }
  const auto least = std::min_element(loss.begin(), loss.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  return {loop, least->first.first, least->first.second};
}

MacroTimes fit_macro(const TileConfig& macro, const MacroAnchors& anchors, FitErrors errors) {
  std::map<std::int64_t, std::vector<const MacroAnchor*>> waves;
  for (const MacroAnchor& anchor : anchors) waves[anchor.waves].push_back(&anchor);
  MacroTimes times{.tiles = macro};
  for (const auto& [count, bucket_anchors] : waves) {
    std::vector<GridLoop> at;
    std::vector<double> us;
    std::map<double, std::vector<const MacroAnchor*>> loops;
    for (const MacroAnchor* anchor : bucket_anchors) {
      at.push_back(anchor->at);
      us.push_back(anchor->best_us());
      loops[anchor->at.loop].push_back(anchor);
    }
    WaveBucket bucket = fit_bucket(at, us, errors);
    bucket.waves = count;
    for (const auto& [loop, same] : loops) bucket.loops.push_back(best_micro(loop, same));
    times.buckets.push_back(std::move(bucket));
  }
  return times;
}

void check_fit(const WaveTuneModel& model, bool any_second_wave) {
  if (model.macros.empty())
    throw InvalidInput(fmt::format("samples of '{}': no tile sizes have {} anchors, expected as many",
                                   model.kernel.name, kFewestAnchors));
  if (!any_second_wave)
    throw InvalidInput(
        fmt::format("samples of '{}': none has more than one wave of {} tiles, expected several waves",
                    model.kernel.name, model.gpu.sms));
}

TileConfig chosen_wavetune_default(const WaveTuneModel& model, std::span<const TileSample> samples,
                                   const TileConfig* given) {
  const auto measured = [&](const TileConfig& config) {
    return std::any_of(samples.begin(), samples.end(),
                       [&](const TileSample& sample) { return sample.config == config; });
  };
  if (given != nullptr) {
    if (measured(*given)) return *given;
    throw InvalidInput(fmt::format("default configuration {} is not among the samples of '{}'",
                                   config_text(*given), model.kernel.name));
  }
  if (measured(kUsualStart)) return kUsualStart;
  // A large product, or many heads: what the model finds best where launches cost little.
  constexpr std::int64_t kLarge = 4096;
  return WaveTuneTable(model).pick({kLarge, kLarge, kLarge}).config;
}

}  // namespace

WaveTuneModel fit_wavetune(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples,
                           const TileConfig* default_config, FitErrors errors) {
  check_kernel(kernel, "tile kernel");
  WaveTuneModel model{.kernel = kernel, .gpu = gpu, .samples = samples.size()};
  std::vector<double> shares;
  bool any_second_wave = samples.empty();
  for (const auto& [macro, anchors] : anchors_of(model, samples)) {
    for (const MacroAnchor& anchor : anchors) any_second_wave = any_second_wave || anchor.waves > 1;
    if (anchors.size() < kFewestAnchors) {
      model.left_out.push_back(macro);
      continue;
    }
    for (const MacroAnchor& anchor : anchors) model.anchors += anchor.micro.size();
    model.macros.push_back(fit_macro(macro, anchors, errors));
    for (const WaveBucket& bucket : model.macros.back().buckets)
      if (bucket.r_squared != 0) shares.push_back(bucket.r_squared);
  }
  check_fit(model, any_second_wave);
  model.median_r_squared = shares.empty() ? 0 : quantile(std::move(shares), 0.5);
  model.default_config = chosen_wavetune_default(model, samples, default_config);
  return model;
}

}  // namespace warploom
