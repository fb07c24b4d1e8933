#include "warploom/tuner/record_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/tuner/internal/config_fit.h"
#include "warploom/tuner/legality.h"

namespace warploom {
namespace {

// Microseconds that a load takes from L2 and from DRAM, and a loop step's barrier. Source: published
// microbenchmarks of Ampere and Hopper (about 270 and 600 to 800 cycles).
constexpr double kL2Latency = 0.2, kDramLatency = 0.5, kBarrier = 0.03;
// One dependent matrix instruction of 16 columns of k. Source: as above, 33 cycles.
constexpr double kInstructionLatency = 0.018;
// Matrix instructions of a warp on parts made for those of four warps. Source: decision 0029.
constexpr double kWarpInstructionShare = 0.63;
// What compiled loops reach of a peak, of any kind.
constexpr double kReached = 0.85;
constexpr double kLaunch = 2.0, kTileEnd = 0.3;  // us
// How far such formulas reach: the last bucket of waves, and a usual inner length.
constexpr float kKnownWaves = 10, kKnownIterations = 128;

bool attention(const TileKernel& kernel) { return reads_keys(kernel.kind); }

double matrix_rate(const TileKernel& kernel, const GpuSpec& gpu) {
  const TensorRates& rates = gpu.tensor_rates;
  const double rate = kernel.operand_bytes == 1   ? std::max(rates.fp8, rates.fp16)
                      : kernel.operand_bytes == 2 ? rates.fp16
                                                  : rates.tf32;
  if (!(rate > 0))
    throw InvalidInput(fmt::format("{}: no matrix rate for operands of {} bytes, expected a GPU with one",
                                   gpu.name, kernel.operand_bytes));
  return rate;
}

// Clocks of C[m, n] += A[m, k] B[k, n] out of shared memory by `warps` warps.
double product_clocks(const TileKernel& kernel, const GpuSpec& gpu, double m, double n, double k,
                      double warps) {
  const double operations = 2 * std::max(16.0, m) * n * k, bytes = k * double(kernel.operand_bytes);
  double rate = matrix_rate(kernel, gpu), read = 0;
  if (has_async_matrix_unit(gpu) && m >= 64) {
    // Groups of four warps stand below each other first.
    const double groups = std::max(1.0, warps / 4), beside = std::max(1.0, groups / (m / 64));
    read = bytes * (m / 64) * beside * (64 + n / beside);
  } else {
    if (has_async_matrix_unit(gpu)) rate *= kWarpInstructionShare;
    double below = 1, beside = 1;
    while (below * beside < warps) (m / (16 * below) >= n / (16 * beside) ? below : beside) *= 2;
    read = bytes * (m * beside + n * below);
  }
  return std::max(operations / rate, read / gpu.shared_bytes_per_clock) / kReached;
}

double math_clocks(const TileKernel& kernel, const GpuSpec& gpu, const TileConfig& c) {
  const double m = c.tile_m, n = c.tile_n;
  if (!attention(kernel)) return product_clocks(kernel, gpu, m, n, c.tile_k, c.warps);
  const double head = double(kernel.head_dim);
  // Scores, their exponentials beside a dozen simple operations each, and the sum over values.
  return product_clocks(kernel, gpu, m, n, head, c.warps) + product_clocks(kernel, gpu, m, head, n, c.warps) +
         m * n * (1 / gpu.special_function_lanes + 12 / gpu.fma_lanes) / kReached;
}

FittedConfig from_record(const TileKernel& kernel, const GpuSpec& spec, const TileGpu& gpu,
                         const TileConfig& config) {
  const double clocks_per_us = spec.boost_clock.value() * 1e-6;
  const double sm_bytes_per_us = gpu.l2_bytes_per_us / double(gpu.sms);
  const double step_bytes =
      attention(kernel) ? 2.0 * double(kernel.operand_bytes * kernel.head_dim) * config.tile_n
                        : double(kernel.operand_bytes) * config.tile_k * (config.tile_m + config.tile_n);
  const double depth = std::max(1, config.stages - 1);
  const double columns = attention(kernel) ? config.tile_n + double(kernel.head_dim) : config.tile_k;
  const double chain = kInstructionLatency * columns / 16;
  const double output = double(config.tile_m) *
                        (attention(kernel) ? double(kernel.head_dim) : config.tile_n) *
                        double(kernel.output_bytes);
  FittedConfig fitted{.config = config,
                      .residual = kRecordResidual,
                      .most_waves = kKnownWaves,
                      .most_iterations = kKnownIterations};
  WaveCoefficients<float>& c = fitted.coefficients;
  const auto set = [](float& coefficient, double value) { coefficient = static_cast<float>(value); };
  set(c.slots, most_slots(kernel, gpu, config));
  set(c.launch, kLaunch);
  set(c.launch_tiles, 0.1);
  set(c.latency_base, kBarrier + std::max(chain, kL2Latency / depth));
  set(c.latency_touch, (kDramLatency - kL2Latency) / depth);
  set(c.math, math_clocks(kernel, spec, config) / clocks_per_us);
  set(c.feed, step_bytes / sm_bytes_per_us / kReached);
  set(c.round, kDramLatency + kTileEnd);
  set(c.tile, output / sm_bytes_per_us);
  set(c.dram, 1e12 / (kReached * spec.memory_bandwidth.value()));
  set(c.write_cost, 1.0);
  set(c.drift, 0.25);
  set(c.packing, 0.5);
  return fitted;
}

}  // namespace

WaveModel model_from_record(const TileKernel& kernel, const GpuSpec& gpu, std::span<const TileConfig> space) {
  check_kernel(kernel, "tile kernel");
  if (space.empty())
    throw InvalidInput(fmt::format("'{}' on {}: no configuration to estimate", kernel.name, gpu.name));
  WaveModel model{.kernel = kernel, .gpu = TileGpu::from(gpu)};
  for (const TileConfig& config : space) model.configs.push_back(from_record(kernel, gpu, model.gpu, config));
  return model;
}

WaveModel scaled_model(const TileKernel& kernel, std::span<const FittedConfig> measured, const GpuSpec& from,
                       const GpuSpec& to) {
  check_kernel(kernel, "tile kernel");
  WaveModel model{.kernel = kernel, .gpu = TileGpu::from(to)};
  const TileGpu source = TileGpu::from(from);
  const auto clock = static_cast<float>(from.boost_clock.value() / to.boost_clock.value());
  const auto feed = static_cast<float>(source.l2_bytes_per_us / double(source.sms) /
                                       (model.gpu.l2_bytes_per_us / double(model.gpu.sms)));
  const auto dram = static_cast<float>(from.memory_bandwidth.value() / to.memory_bandwidth.value());
  for (FittedConfig fitted : measured) {
    if (!why_illegal(kernel, model.gpu, fitted.config).empty()) continue;
    WaveCoefficients<float>& c = fitted.coefficients;
    const double math = math_clocks(kernel, to, fitted.config) / math_clocks(kernel, from, fitted.config);
    c.slots = std::min(c.slots, static_cast<float>(most_slots(kernel, model.gpu, fitted.config)));
    for (float* const latency : {&c.latency_base, &c.latency_touch, &c.latency_cold, &c.latency_load,
                                 &c.latency_load_touch, &c.round, &c.tile})
      *latency *= clock;
    c.math *= clock * static_cast<float>(math);
    c.feed *= feed;
    c.feed_touch *= feed;
    c.dram *= dram;
    fitted.residual = std::max(fitted.residual, kRecordResidual);
    model.configs.push_back(fitted);
  }
  if (model.configs.empty())
    throw InvalidInput(fmt::format("'{}': {} can run none of the configurations measured on {}", kernel.name,
                                   to.name, from.name));
  return model;
}

WaveModel known_model(const TileKernel& kernel, const KnownFormulas& known, const GpuSpec& from,
                      const GpuSpec& to) {
  std::vector<FittedConfig> measured;
  for (const auto& [config, formula] : known)
    measured.push_back({.config = config,
                        .coefficients = coefficients_at(formula.point, static_cast<float>(formula.slots)),
                        .residual = kRecordResidual,
                        .most_waves = kKnownWaves,
                        .most_iterations = kKnownIterations});
  return scaled_model(kernel, measured, from, to);
}

}  // namespace warploom
