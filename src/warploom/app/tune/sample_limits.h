// What measured times of a tile kernel must look like before a table is made of them.
#pragma once

#include <span>
#include <string>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

// Below this median R^2 over the buckets of waves the times do not follow the kernel's work at all: no table.
inline constexpr double kLeastRSquared = 0.5;
// Below this one they follow it badly: the table answers as one that was not measured, and says so. Eleven
// sets of anchors of real kernels on two GPUs have 0.977 to 0.9998.
inline constexpr double kGoodRSquared = 0.9;

// The least time of the shape: its products at the highest clock and rate of the GPU; 0 where the kernel's
// work is not known to be products, or the GPU has no matrix units for them.
double least_us(const TileKernel& kernel, const TileShape& shape, const GpuSpec& gpu);

// Throws InvalidInput naming the worst sample when one is faster than the GPU can compute.
void check_possible(const TileKernel& kernel, const GpuSpec& gpu, std::span<const TileSample> samples);

// What a user should be told where no sample comes near what the GPU can do, as times in another unit do not;
// empty: some do, or the kernel is none of which that is known.
std::string slowness_warning(const TileKernel& kernel, const GpuSpec& gpu,
                             std::span<const TileSample> samples);

// Throws InvalidInput below kLeastRSquared. What a user should be told; empty: the fit is good, or has no
// bucket to be judged by.
std::string fit_warning(double median_r_squared, std::size_t buckets);

}  // namespace warploom
