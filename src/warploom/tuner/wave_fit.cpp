#include "warploom/tuner/wave_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/base/statistics.h"
#include "warploom/tuner/internal/config_fit.h"
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

// Every configuration by itself, on all cores.
void fit_all(WaveModel& model, const std::vector<const ConfigPoints*>& points) {
  parallel_for(points.size(), 0, [&](std::size_t i) {
    const TileConfig config = model.configs[i].config;
    model.configs[i] = fit_config(*points[i], most_slots(model.kernel, model.gpu, config));
    model.configs[i].config = config;
  });
}

}  // namespace

WaveModel fit_wave_model(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples) {
  check_kernel(kernel, "tile kernel");
  WaveModel model{.kernel = kernel, .gpu = gpu};
  const MappingConstants constants(kernel, gpu);
  std::map<TileConfig, ConfigPoints> groups;
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
  std::vector<const ConfigPoints*> points_of;
  for (auto& [config, points] : groups) {
    if (points.size() < kFewestSamples) {
      model.left_out.push_back(config);
      continue;
    }
    points.feed_us = feed_us(kernel, gpu, config);
    model.configs.push_back({.config = config});
    points_of.push_back(&points);
  }
  fit_all(model, points_of);
  for (std::size_t i = 0; i < points_of.size(); ++i) judge_buckets(model, i, *points_of[i]);
  if (model.configs.empty())
    throw InvalidInput(
        fmt::format("samples of '{}': no configuration has {} samples", kernel.name, kFewestSamples));
  std::vector<double> shares;
  for (const BucketFit& bucket : model.buckets) shares.push_back(bucket.r_squared);
  model.median_r_squared = shares.empty() ? 0 : quantile(std::move(shares), 0.5);
  return model;
}

}  // namespace warploom
