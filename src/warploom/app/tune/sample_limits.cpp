#include "warploom/app/tune/sample_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {
namespace {

// A time may lie below its bound by this much: clocks above the record's, a timer's steps.
constexpr double kTolerance = 0.1;

// The best of a kernel's samples reaches more of the GPU than this: anchors of real kernels 60 to 85 %.
constexpr double kLeastReached = 0.02;

double most_flop_per_us(const TileKernel& kernel, const GpuSpec& gpu) {
  const TensorRates& rates = gpu.tensor_rates;
  const double rate = kernel.operand_bytes == 1   ? std::max({rates.fp8, rates.int8, rates.fp16})
                      : kernel.operand_bytes == 2 ? rates.fp16
                                                  : std::max(rates.tf32, rates.fp32);
  return rate * double(gpu.sm_count) * gpu.max_clock.value() * 1e-6;
}

double flop_of(const TileKernel& kernel, const TileShape& shape) {
  const double m = double(shape.m), n = double(shape.n), k = double(shape.k);
  switch (kernel.kind) {
    case TileKernelKind::Gemm:
      return 2 * m * n * k * double(kernel.batch);
    case TileKernelKind::GroupedGemm:
      return 2 * m * n * k;
    case TileKernelKind::Attention: {
      // Scores and values; with a mask at least half of the keys, or those of the window.
      double keys = n;
      if (kernel.causal) keys = kernel.window > 0 ? std::min(n, double(kernel.window)) / 2 : n / 2;
      return 4 * m * keys * double(kernel.head_dim) * k;
    }
    case TileKernelKind::PagedDecode:
      break;  // its bytes bound it, which a second cache may hold
  }
  return 0;
}

}  // namespace

double least_us(const TileKernel& kernel, const TileShape& shape, const GpuSpec& gpu) {
  const double rate = most_flop_per_us(kernel, gpu);
  return rate > 0 ? flop_of(kernel, shape) / rate : 0;
}

void check_possible(const TileKernel& kernel, const GpuSpec& gpu, std::span<const TileSample> samples) {
  const TileSample* worst = nullptr;
  double least_share = 1 - kTolerance;
  std::size_t impossible = 0;
  for (const TileSample& sample : samples) {
    const double bound = least_us(kernel, sample.shape, gpu);
    if (!(sample.median_us < bound * (1 - kTolerance))) continue;
    ++impossible;
    if (sample.median_us / bound > least_share) continue;
    least_share = sample.median_us / bound;
    worst = &sample;
  }
  if (worst == nullptr) return;
  throw InvalidInput(fmt::format(
      "samples: {} of {} times are shorter than {} can compute, for example {} x {} x {} in {:.4g} "
      "us, which takes at least {:.4g} us; expected microseconds, measured on that GPU with operands "
      "of {} bytes",
      impossible, samples.size(), gpu.name, worst->shape.m, worst->shape.n, worst->shape.k, worst->median_us,
      least_us(kernel, worst->shape, gpu), kernel.operand_bytes));
}

std::string slowness_warning(const TileKernel& kernel, const GpuSpec& gpu,
                             std::span<const TileSample> samples) {
  if (kernel.kind != TileKernelKind::Gemm) return {};
  double reached = 0;
  for (const TileSample& sample : samples) {
    const double m = double(sample.shape.m), n = double(sample.shape.n), k = double(sample.shape.k);
    const double bytes = (m + n) * k * double(kernel.operand_bytes) + m * n * double(kernel.output_bytes);
    const double moving = double(kernel.batch) * bytes / (gpu.memory_bandwidth.value() * 1e-6);
    reached = std::max(reached, std::max(moving, least_us(kernel, sample.shape, gpu)) / sample.median_us);
  }
  if (reached >= kLeastReached) return {};
  return fmt::format(
      "the best of {} times reaches {:.2g} % of what {} can do; expected microseconds, measured on that GPU: "
      "the table's tier is {}",
      samples.size(), 100 * reached, gpu.name, name_of(Tier::CrossGpu));
}

std::string fit_warning(double median_r_squared, std::size_t buckets) {
  if (buckets == 0 || median_r_squared >= kGoodRSquared) return {};
  if (median_r_squared < kLeastRSquared)
    throw InvalidInput(fmt::format(
        "samples: their times do not follow the kernel's work (median R^2 {:.3f} over {} buckets of "
        "waves, expected at least {}); are they of this kernel, each beside its shape?",
        median_r_squared, buckets, kLeastRSquared));
  return fmt::format(
      "times follow the kernel's work badly (median R^2 {:.3f}, expected at least {}): the table's tier is "
      "{}; measure again on an idle GPU",
      median_r_squared, kGoodRSquared, name_of(Tier::CrossGpu));
}

}  // namespace warploom
