#include "warploom/kernels/gemm/gemm_constants.h"

namespace warploom {
namespace {

constexpr std::string_view kSource =
    "centre of the prior, set over the public products of all measured GPUs (decisions 0010, 0019)";

struct FittedConstant {
  double GemmConstants::*value;
  std::string_view name, unit;
  double low, high;  // as a factor of the default
  double sigma;
};
struct FittedPower {
  double PowerConstants::*value;
  std::string_view name, unit;
  double low, high, sigma;
};
using C = GemmConstants;
using P = PowerConstants;
// Sharp where physics or the data sheet says much, wide where libraries differ.
constexpr std::array kFitted{
    FittedConstant{&C::warp_efficiency, "warp_efficiency", "1", 0.85, 1.04, 0.03},
    FittedConstant{&C::async_efficiency, "async_efficiency", "1", 0.85, 1.04, 0.03},
    FittedConstant{&C::warp_row_exponent, "warp_row_exponent", "1", 0.1, 3, 0.5},
    FittedConstant{&C::warp_column_exponent, "warp_column_exponent", "1", 0.1, 3, 0.5},
    FittedConstant{&C::async_row_exponent, "async_row_exponent", "1", 0.1, 3, 0.5},
    FittedConstant{&C::async_column_exponent, "async_column_exponent", "1", 0.1, 3, 0.5},
    FittedConstant{&C::warp_feed, "warp_feed", "FLOP/clock", 0.4, 2.5, 0.3},
    FittedConstant{&C::async_feed, "async_feed", "FLOP/clock", 0.4, 2.5, 0.3},
    FittedConstant{&C::step_clocks, "step_clocks", "clocks", 0.2, 5, 0.3},
    FittedConstant{&C::launch_clocks, "launch_clocks", "clocks", 0.1, 5, 0.5},
    FittedConstant{&C::launch_seconds, "launch_seconds", "s", 0.1, 5, 0.5},
    FittedConstant{&C::launch_trend, "launch_trend", "1/year", 0.2, 3, 0.3},
    FittedConstant{&C::tile_clocks, "tile_clocks", "clocks", 0.2, 5, 0.3},
    FittedConstant{&C::async_epilogue, "async_epilogue", "clocks", 0.2, 5, 0.3},
    FittedConstant{&C::warp_epilogue, "warp_epilogue", "clocks", 0.2, 5, 0.3},
    FittedConstant{&C::epilogue_shown, "epilogue_shown", "1", 0.2, 2, 0.3},
    FittedConstant{&C::tail, "tail", "1", 0.1, 2.4, 0.4},
    FittedConstant{&C::split_seconds, "split_seconds", "s", 0.2, 4, 0.3},
    FittedConstant{&C::dram_share, "dram_share", "1", 0.7, 1.17, 0.1},
    FittedConstant{&C::dram_latency, "dram_latency", "s", 0.2, 4, 0.3},
    FittedConstant{&C::l2_bytes, "l2_bytes", "B/clock/SM", 0.3, 3, 0.3},
    FittedConstant{&C::graphics_l2_bytes, "graphics_l2_bytes", "B/clock/SM", 0.3, 3, 0.3},
    FittedConstant{&C::cache, "cache", "1", 0.4, 2, 0.2},
    FittedConstant{&C::graphics_cache, "graphics_cache", "1", 0.4, 1.5, 0.2},
    FittedConstant{&C::activation_cache, "activation_cache", "1", 0.4, 2, 0.3},
    FittedConstant{&C::overlap, "overlap", "1", 0.5, 2.5, 0.3},
    FittedConstant{&C::fp8_efficiency, "fp8_efficiency", "1", 0.6, 1.1, 0.1},
    FittedConstant{&C::fp8_block_efficiency, "fp8_block_efficiency", "1", 0.6, 1.15, 0.15},
    FittedConstant{&C::fp4_efficiency, "fp4_efficiency", "1", 0.6, 1.15, 0.1},
    FittedConstant{&C::int8_efficiency, "int8_efficiency", "1", 0.6, 1.2, 0.1},
    FittedConstant{&C::weight_only_efficiency, "weight_only_efficiency", "1", 0.6, 1.2, 0.1},
    FittedConstant{&C::quantise_seconds, "quantise_seconds", "s", 0.2, 6, 0.5},
    FittedConstant{&C::block_quantise_seconds, "block_quantise_seconds", "s", 0.2, 6, 0.5},
    FittedConstant{&C::quantise_share, "quantise_share", "1", 0.4, 1.6, 0.3},
};
constexpr std::array kFittedPower{
    FittedPower{&P::idle_nanojoules, "idle_nanojoules", "nJ", 0.3, 3, 0.3},
    FittedPower{&P::flagship_draw, "flagship_draw", "1", 0.6, 1.6, 0.15},
    FittedPower{&P::product_nanojoules, "product_nanojoules", "nJ", 0.5, 1.8, 0.2},
    FittedPower{&P::older_process, "older_process", "1", 0.6, 1.6, 0.2},
    FittedPower{&P::byte_energy, "byte_energy", "1", 0.6, 1.4, 0.1},
    FittedPower{&P::nibble_energy, "nibble_energy", "1", 0.6, 1.5, 0.1},
    FittedPower{&P::clock_exponent, "clock_exponent", "1", 0.5, 1.25, 0.1},
};
static_assert(kFitted.size() + kFittedPower.size() <= kMaxConstants);

}  // namespace

GemmConstants gemm_constants_of(const BaseConstants& fitted) {
  GemmConstants values;
  for (std::size_t i = 0; i < kFitted.size(); ++i) values.*kFitted[i].value = fitted[i];
  for (std::size_t i = 0; i < kFittedPower.size(); ++i)
    values.power.*kFittedPower[i].value = fitted[kFitted.size() + i];
  return values;
}

std::span<const ConstantSpec> gemm_constants() {
  static const auto table = [] {
    std::array<ConstantSpec, kFitted.size() + kFittedPower.size()> specs{};
    std::size_t i = 0;
    const auto add = [&](const auto& fitted, double value) {
      specs[i++] = {fitted.name,         fitted.unit,  value,  fitted.low * value,
                    fitted.high * value, fitted.sigma, kSource};
    };
    const GemmConstants typical;
    for (const FittedConstant& fitted : kFitted) add(fitted, typical.*fitted.value);
    for (const FittedPower& fitted : kFittedPower) add(fitted, typical.power.*fitted.value);
    return specs;
  }();
  return table;
}

}  // namespace warploom
