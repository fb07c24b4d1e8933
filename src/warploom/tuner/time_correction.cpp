#include "warploom/tuner/time_correction.h"

#include <algorithm>
#include <cmath>

#include "warploom/tuner/tile_mapping.h"

namespace warploom {
namespace {

float log2_of(double value) { return std::log2(std::max(1e-6F, static_cast<float>(value))); }

// Part of the last tiles along an axis that is not padding.
float fill(double count, double tile) { return static_cast<float>(count / (std::ceil(count / tile) * tile)); }

}  // namespace

void correction_features(const TileKernel& kernel, const CorrectionQuery& query,
                         std::array<float, kCorrectionFeatures>& out) {
  const TileConfig& c = query.config->config;
  const TileShape& shape = query.shape;
  const TileWork& work = query.work;
  const double us = double(query.predicted_us), waves = double(work.waves);
  double rows = double(shape.m);
  if (kernel.kind == TileKernelKind::GroupedGemm)
    rows = std::ceil(rows / double(std::min(kernel.experts, shape.m)));
  const double stages = double(stage_bytes(kernel, c)), slots = double(query.config->coefficients.slots);
  const double ratio = waves / slots, loops = double(work.iterations);
  const auto row_bytes = shape.k * kernel.operand_bytes;
  out = {log2_of(c.tile_m),
         log2_of(c.tile_n),
         log2_of(std::max(1, c.tile_k)),
         static_cast<float>(c.warps),
         static_cast<float>(c.stages),
         log2_of(waves),
         log2_of(loops),
         static_cast<float>(std::min(64.0, std::ceil(rows / c.tile_m))),
         log2_of(std::ceil(double(shape.n) / c.tile_n)),
         static_cast<float>(std::min(1.0, rows / c.tile_m)),
         fill(rows, c.tile_m),
         fill(double(shape.n), c.tile_n),
         fill(double(shape.k), std::max(1, c.tile_k)),
         static_cast<float>(waves - std::floor(waves)),
         static_cast<float>(alignment_class(row_bytes)),
         static_cast<float>(shape.n * kernel.output_bytes % 32 != 0),
         log2_of(stages),
         static_cast<float>(slots),
         static_cast<float>(ratio),
         static_cast<float>(ratio - std::floor(ratio)),
         log2_of(us),
         log2_of(us / (loops * std::max(1.0, std::ceil(waves)))),
         static_cast<float>(double(c.tile_m) * c.tile_n / (32.0 * c.warps)),
         log2_of(double(shape.k)),
         log2_of(double(work.read_mb + work.write_mb) / us),
         log2_of(double(shape.m) / double(shape.n)),
         static_cast<float>(double(work.hot_us) / us),
         work.first_touch};
}

}  // namespace warploom
