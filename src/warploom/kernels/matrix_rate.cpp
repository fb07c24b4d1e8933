#include "warploom/kernels/matrix_rate.h"

namespace warploom {
namespace {

// Reached, in the loops of large products whatever the clock (GemmConstants: efficiencies).
constexpr double kReachedRate = 0.95;
constexpr double kFp32Energy = 2;  // of a tf32 or fp32 operation, per bf16 operation: twice the operand bits

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
      return kFp32Energy;
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

MatrixLoad matrix_load(const GpuSpec& gpu, DataType type, const PowerConstants& constants, double busy) {
  return {.rate = tensor_rate_per_clock(gpu, type), .energy = relative_energy(type, constants), .busy = busy};
}

double sustained_rate_share(const GpuSpec& gpu) {
  const PowerConstants typical;
  const MatrixLoad load = matrix_load(gpu, DataType::Bf16, typical);
  return kReachedRate / clock_under_load(gpu, ClockRule::Limited, load, typical).slowdown;
}

}  // namespace warploom
