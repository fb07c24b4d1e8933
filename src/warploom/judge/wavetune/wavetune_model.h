// The published wave model, WaveTune (arXiv 2604.10187), as the publication describes it; ours is
// wave_model.h.
//
// Macro parameters (tile sizes, parts of k) change the grid G and the loop L, micro parameters (warps,
// stages) do not. Each macro configuration has, for every number of waves w = ceil(G / SMs) that was sampled,
// a bilinear time
//   T = a G L + b G + c L + d                                                                  (table A)
// fitted to the best micro configuration's times at a few anchors, and the micro configuration that was best
// there for each sampled loop count (table B). A decision evaluates T for every macro configuration, takes
// the least, and looks the micro configuration up at the nearest loop anchor.
//
// What the publication leaves open is filled in here, each rule named at its place: how numbers of waves that
// were not sampled are extrapolated, coefficients that come out negative, buckets with a single grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warploom/tuner/tile_kernel.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

struct GridLoop;

// Microseconds; none is negative.
struct BilinearTime {
  double a = 0;  // of a step of one tile: steady work
  double b = 0;  // of a tile: its scheduling
  double c = 0;  // of a step: the pipeline
  double d = 0;  // of a launch

  double at(double grid, double loop) const { return (a * loop + b) * grid + c * loop + d; }
};

struct LoopAnchor {
  double loop = 1;
  std::int32_t warps = 4, stages = 3;
};

struct WaveBucket {
  std::int64_t waves = 1;
  BilinearTime time;
  std::size_t anchors = 0;        // points (G, L) that it was fitted to
  double r_squared = 0;           // of time; 0 where it has no more anchors than coefficients
  std::vector<LoopAnchor> loops;  // ascending
};

struct MacroTimes {
  TileConfig tiles;                 // its warps and stages are 0
  std::vector<WaveBucket> buckets;  // ascending
};

struct WaveTuneModel {
  TileKernel kernel;
  TileGpu gpu;
  TileConfig default_config;         // answers shapes out of range
  std::vector<MacroTimes> macros;    // ascending
  std::vector<TileConfig> left_out;  // macro configurations with too few anchors
  std::size_t samples = 0;           // timings that were given
  std::size_t anchors = 0;           // timings at the anchors that were used
  double median_r_squared = 0;       // over buckets with more anchors than coefficients
};

// Squares of errors in us, as published; or of errors as shares of the time, which long times do not govern.
enum class FitErrors { Microseconds, Shares };

// Four coefficients need four anchors.
inline constexpr std::size_t kFewestAnchors = 4;

// Least squares of one bucket: at[i] took us[i]. Coefficients that come out negative are dropped and the
// others fitted again, since each stands for a time. At a single grid, or a single loop count, a and c (or b
// and d) cannot be told apart: then T = a G L + d, at a single point T = a G L.
WaveBucket fit_bucket(std::span<const GridLoop> at, std::span<const double> us,
                      FitErrors errors = FitErrors::Microseconds);

// Anchors are the samples near the square: the tile grid of a problem at most kMostAspect times as wide as
// tall or the reverse, since G and L cannot see how much two tiles share; all samples of a macro
// configuration that has none such, and of kernels that read keys. Deterministic, milliseconds. Throws
// InvalidInput when no macro configuration has kFewestAnchors anchors, when no anchor has more than one wave,
// or when the default configuration was given but not measured.
inline constexpr double kMostAspect = 4;
WaveTuneModel fit_wavetune(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples,
                           const TileConfig* default_config = nullptr,
                           FitErrors errors = FitErrors::Microseconds);

}  // namespace warploom
