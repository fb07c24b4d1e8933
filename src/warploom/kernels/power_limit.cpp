#include "warploom/kernels/power_limit.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

// The largest part of a data-centre generation.
struct Flagship {
  double watts = 0;
  double sms = 0;
  double boost = 0, highest = 0;  // of the data sheet and of the driver, GHz
  double rate = 0;                // bf16 operations per clock per SM
  double clocks() const { return sms * boost; }
};

Flagship flagship_of(const GpuSpec& gpu) {
  const auto capability = int(gpu.compute_capability);
  if (capability >= 100 && capability < 120) return {1000, 148, 1.855, 1.965, 8192};
  if (capability == 90) return {700, 132, 1.83, 1.98, 4096};
  if (capability == 80) return {400, 108, 1.41, 1.41, 2048};
  return {};
}

bool of_8_nm(const GpuSpec& gpu) { return gpu.compute_capability >= 86 && gpu.compute_capability < 89; }

// Nanojoules of 1024 bf16 operations.
double product_energy(const GpuSpec& gpu, const PowerConstants& c) {
  const Flagship flagship = flagship_of(gpu);
  if (flagship.watts > 0)
    return (c.flagship_draw * flagship.watts / flagship.clocks() - c.idle_nanojoules) /
           (flagship.rate / 1024);
  return c.product_nanojoules * (of_8_nm(gpu) ? c.older_process : 1.0);
}

// Energy of an operation of a type, per bf16 operation.
double relative_energy(DataType type, const PowerConstants& c) {
  switch (type) {
    case DataType::Fp8:
    case DataType::Int8:
      return c.byte_energy;
    case DataType::NvFp4:
    case DataType::MxFp4:
      return c.nibble_energy;
    case DataType::Fp32:
    case DataType::Tf32:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

double tensor_rate_per_clock(const GpuSpec& gpu, DataType type) {
  const TensorRates& rates = gpu.tensor_rates;
  const double half = rates.fp16 > 0 ? rates.fp16 : 2 * gpu.fma_lanes;
  const double byte = rates.fp8 > 0 ? rates.fp8 : half;
  switch (type) {
    case DataType::Fp32:
      return 2 * gpu.fma_lanes;
    case DataType::Tf32:
      return rates.tf32 > 0 ? rates.tf32 : 2 * gpu.fma_lanes;
    case DataType::Fp8:
      return byte;
    case DataType::Int8:
      return rates.int8 > 0 ? rates.int8 : half;
    case DataType::NvFp4:
    case DataType::MxFp4:
      return rates.fp4 > 0 ? rates.fp4 : byte;
    default:
      return half;
  }
}

double power_need(const GpuSpec& gpu, DataType type, const PowerConstants& c, double busy) {
  if (gpu.power_limit.value() <= 0) return 0;
  const double products = std::max(product_energy(gpu, c), 0.0) * relative_energy(type, c) *
                          tensor_rate_per_clock(gpu, type) / 1024;
  return 1e-9 * gpu.sm_cycles_per_second() * (c.idle_nanojoules + busy * products) / gpu.power_limit.value();
}

double power_slowdown(const GpuSpec& gpu, DataType type, const PowerConstants& c, double busy) {
  const double need = power_need(gpu, type, c, busy);
  return need > 1 ? std::pow(need, c.clock_exponent) : 1.0;
}

double product_clock(const GpuSpec& gpu) {
  const Flagship flagship = flagship_of(gpu);
  if (flagship.watts <= 0) return gpu.boost_clock.value();
  return gpu.max_clock.value() * flagship.boost / flagship.highest;
}

double product_slowdown(const GpuSpec& gpu, DataType type, const PowerConstants& c) {
  const Flagship flagship = flagship_of(gpu);
  const double limit = gpu.power_limit.value();
  if (flagship.watts <= 0 || limit <= 0) return power_slowdown(gpu, type, c);
  const double products = std::max(product_energy(gpu, c), 0.0) * relative_energy(type, c) *
                          tensor_rate_per_clock(gpu, type) / 1024;
  const double need = flagship.clocks() * (c.idle_nanojoules + products) / flagship.watts;
  const double watts_per_sm = (limit / double(gpu.sm_count)) / (flagship.watts / flagship.sms);
  const double clock = 1e-9 * product_clock(gpu) / flagship.boost;
  return std::max(1.0, std::pow(need, c.clock_exponent) * clock / std::cbrt(watts_per_sm));
}

}  // namespace warploom
