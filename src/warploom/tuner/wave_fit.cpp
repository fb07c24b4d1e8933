#include "warploom/tuner/wave_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/base/statistics.h"
#include "warploom/tuner/internal/config_fit.h"
#include "warploom/tuner/internal/known_prior.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/tile_mapping.h"

namespace warploom {
namespace {

int bucket_of(float waves) {
  int corner = 1;
  for (const float start : kBucketWaves) {
    if (std::ceil(waves - 1e-5F) >= start) corner = static_cast<int>(start);
  }
  return corner;
}

// An SM's part of L2's rate is a little more than the measured rate of the whole. Source: H200 anchors.
constexpr double kFeedShare = 0.83;

float feed_us(const TileKernel& kernel, const TileGpu& gpu, const TileConfig& config) {
  const auto bytes = double(kernel.operand_bytes) * (config.tile_m + config.tile_n) * config.tile_k;
  return static_cast<float>(kFeedShare * bytes * double(gpu.sms) / gpu.l2_bytes_per_us);
}

// 1 - residual sum of squares / total; nothing when the times do not differ.
void add_bucket(std::vector<BucketFit>& buckets, BucketFit bucket, const std::vector<double>& measured,
                const std::vector<double>& fitted) {
  bucket.samples = measured.size();
  const double centre = mean(measured);
  double left = 0, total = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    left += (measured[i] - fitted[i]) * (measured[i] - fitted[i]);
    total += (measured[i] - centre) * (measured[i] - centre);
  }
  if (measured.size() < 4 || total <= 0) return;
  bucket.r_squared = 1 - left / total;
  buckets.push_back(bucket);
}

void judge_buckets(WaveModel& model, std::size_t index, const ConfigPoints& points) {
  std::map<int, std::pair<std::vector<double>, std::vector<double>>> groups;
  const FittedConfig& fitted = model.configs[index];
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto& [measured, predicted] = groups[bucket_of(points.works[i].waves)];
    measured.push_back(double(points.times[i]));
    predicted.push_back(double(wave_time(fitted.coefficients, points.works[i])));
  }
  for (const auto& [corner, group] : groups)
    add_bucket(model.buckets, {.config = index, .waves = corner}, group.first, group.second);
}

// What the configurations have in common moves in so many rounds; the last ones move it by a hundredth.
constexpr int kCommonRounds = 3;

// Points of the configurations that can be fitted, in the model's order.
using FitSamples = std::vector<const ConfigPoints*>;

std::vector<ConfigFit> fit_all(const WaveModel& model, const FitSamples& points,
                               const std::vector<FitPrior>& priors) {
  std::vector<ConfigFit> fits(points.size());
  parallel_for(points.size(), 0, [&](std::size_t i) {
    const TileConfig config = model.configs[i].config;
    fits[i] = fit_config(*points[i], most_slots(model.kernel, model.gpu, config), priors[i]);
    fits[i].fitted.config = config;
  });
  return fits;
}

std::vector<FitPrior> usual_priors(const FitSamples& points) {
  std::vector<FitPrior> priors;
  for (const ConfigPoints* one : points) priors.push_back(usual_prior(one->feed_us));
  return priors;
}

std::vector<ConfigFit> fit_from(const WaveModel& model, const FitSamples& points,
                                const KnownFormulas& known) {
  FitPoint common{};
  std::vector<ConfigFit> fits;
  for (int round = 0; round < kCommonRounds; ++round) {
    if (round > 0) add_common(common, fits, known);  // nothing is known to be common at first
    std::vector<FitPrior> priors = usual_priors(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto found = known.find(model.configs[i].config);
      if (found != known.end()) pull_to(priors[i], found->second, common);
    }
    fits = fit_all(model, points, priors);
  }
  return fits;
}

using Groups = std::map<TileConfig, ConfigPoints>;

Groups groups_of(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples) {
  const MappingConstants constants(kernel, gpu);
  Groups groups;
  float most_waves = 0;
  for (const TileSample& sample : samples) {
    check_shape(sample.shape, "sample");
    const TileWork work =
        map_tile(constants, ShapeTerms(constants, sample.shape), ConfigConstants(kernel, sample.config));
    most_waves = std::max(most_waves, work.waves);
    groups[sample.config].add(work, static_cast<float>(sample.median_us));
  }
  if (!samples.empty() && most_waves <= 1)
    throw InvalidInput(
        fmt::format("samples of '{}': none has more than one wave of {} tiles, expected "
                    "several waves",
                    kernel.name, gpu.sms));
  return groups;
}

using Fitting = std::function<std::vector<ConfigFit>(const WaveModel&, const FitSamples&)>;

// Also gives the fits themselves, in the order of the model's configurations.
WaveModel fit_with(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples,
                   const Fitting& fitting, std::vector<ConfigFit>& fits) {
  check_kernel(kernel, "tile kernel");
  WaveModel model{.kernel = kernel, .gpu = gpu};
  Groups groups = groups_of(kernel, gpu, samples);
  FitSamples points_of;
  for (auto& [config, points] : groups) {
    if (points.size() < kFewestSamples) {
      model.left_out.push_back(config);
      continue;
    }
    points.feed_us = feed_us(kernel, gpu, config);
    model.configs.push_back({.config = config});
    points_of.push_back(&points);
  }
  fits = fitting(model, points_of);
  for (std::size_t i = 0; i < points_of.size(); ++i) {
    model.configs[i] = fits[i].fitted;
    judge_buckets(model, i, *points_of[i]);
  }
  if (model.configs.empty())
    throw InvalidInput(
        fmt::format("samples of '{}': no configuration has {} samples", kernel.name, kFewestSamples));
  std::vector<double> shares;
  for (const BucketFit& bucket : model.buckets) shares.push_back(bucket.r_squared);
  model.median_r_squared = shares.empty() ? 0 : quantile(std::move(shares), 0.5);
  return model;
}

KnownFormulas known_from(const std::vector<ConfigFit>& fits) {
  KnownFormulas known;
  for (const ConfigFit& fit : fits) {
    KnownFormula& one = known[fit.fitted.config];
    one.slots = static_cast<int>(fit.fitted.coefficients.slots);
    one.point = fit.point;
    for (std::size_t p = 0; p < kFitted; ++p) one.held[p] = firmness(fit.curvature[p]);
  }
  return known;
}

// The programs that Triton makes of one configuration: sizes that it knows to be multiples of 16, or not.
enum Program : std::size_t { kWide, kNarrow, kBoth, kPrograms };
using Counts = std::array<std::size_t, kPrograms>;
using SplitSamples = std::array<std::vector<TileSample>, kPrograms>;

Program program_of(const TileKernel& kernel, const TileShape& shape) {
  if (row_class_of(kernel, shape) != kNarrowLoads) return kWide;
  return has_narrow_stores(kernel, shape) ? kBoth : kNarrow;
}

// Configurations that have enough samples of this program and of wide rows. Stages say nothing of narrow
// loads, so that one configuration stands for all that differ in them.
std::vector<TileConfig> measured_apart(const std::map<TileConfig, Counts>& counts, Program program) {
  std::vector<TileConfig> chosen;
  for (const auto& [config, of] : counts) {
    if (of[program] < kFewestSamples || of[kWide] < kFewestSamples) continue;
    const auto alike = std::find_if(chosen.begin(), chosen.end(), [&, one = config](const TileConfig& other) {
      return same_but_stages(one, other);
    });
    if (alike == chosen.end())
      chosen.push_back(config);
    else if (counts.at(*alike)[program] < of[program])
      *alike = config;
  }
  return chosen;
}

// Narrow samples come apart where some configuration has enough of both kinds. What is left of narrow ones
// then is dropped: it is no measurement of the wide program. Where too few have narrow stores too, all are
// one kind.
SplitSamples split_samples(const TileKernel& kernel, std::span<const TileSample> samples) {
  std::map<TileConfig, Counts> counts;
  for (const TileSample& sample : samples) ++counts[sample.config][program_of(kernel, sample.shape)];
  std::array<std::vector<TileConfig>, kPrograms> chosen;
  chosen[kBoth] = measured_apart(counts, kBoth);
  if (chosen[kBoth].empty()) {
    for (auto& [config, of] : counts) of[kNarrow] += std::exchange(of[kBoth], 0);
  }
  chosen[kNarrow] = measured_apart(counts, kNarrow);
  SplitSamples split;
  for (const TileSample& sample : samples) {
    Program program = program_of(kernel, sample.shape);
    if (program == kBoth && chosen[kBoth].empty()) program = kNarrow;
    if (chosen[kNarrow].empty()) program = kWide;
    const auto& of = chosen[program];
    if (program == kWide || std::find(of.begin(), of.end(), sample.config) != of.end())
      split[program].push_back(sample);
  }
  return split;
}

WaveModel fit_programs(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples,
                       const Fitting& fitting, std::vector<ConfigFit>& fits) {
  const SplitSamples split = split_samples(kernel, samples);
  WaveModel model = fit_with(kernel, gpu, split[kWide], fitting, fits);
  const KnownFormulas known = known_from(fits);
  const auto fitted = [&](const std::vector<TileSample>& narrow) {
    if (narrow.empty()) return std::vector<FittedConfig>();
    std::vector<ConfigFit> narrow_fits;
    const auto beginning = [&](const WaveModel& begun, const FitSamples& points) {
      return fit_from(begun, points, known);
    };
    return fit_with(kernel, gpu, narrow, beginning, narrow_fits).configs;
  };
  model.narrow = fitted(split[kNarrow]);
  model.both = fitted(split[kBoth]);
  return model;
}

}  // namespace

WaveModel fit_wave_model(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples) {
  std::vector<ConfigFit> fits;
  const auto alone = [](const WaveModel& model, const FitSamples& points) {
    return fit_all(model, points, usual_priors(points));
  };
  return fit_programs(kernel, gpu, samples, alone, fits);
}

WaveModel fit_wave_model(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples,
                         const KnownFormulas& known) {
  std::vector<ConfigFit> fits;
  const auto beginning = [&](const WaveModel& model, const FitSamples& points) {
    return fit_from(model, points, known);
  };
  return fit_programs(kernel, gpu, samples, beginning, fits);
}

bool is_known(const WaveModel& model, const KnownFormulas& known) {
  constexpr double kRounding = 1.0 / 512;
  std::size_t same = 0;
  for (const FittedConfig& config : model.configs) {
    const auto found = known.find(config.config);
    if (found == known.end()) continue;
    const double math = double(found->second.point[kMathPlace]);
    same += std::abs(std::log(double(config.coefficients.math)) - math) < kRounding ? 1U : 0U;
  }
  return 10 * same >= 9 * model.configs.size();
}

KnownFormulas formulas_of(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples) {
  std::vector<ConfigFit> fits;
  const auto alone = [](const WaveModel& model, const FitSamples& points) {
    return fit_all(model, points, usual_priors(points));
  };
  fit_with(kernel, gpu, split_samples(kernel, samples)[kWide], alone, fits);
  return known_from(fits);
}

}  // namespace warploom
