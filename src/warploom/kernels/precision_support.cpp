#include "warploom/kernels/precision_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "warploom/base/error.h"

namespace warploom {
namespace {

double tensor_rate_of(DataType type, const GpuSpec& gpu) {
  const TensorRates& rates = gpu.tensor_rates;
  switch (type) {
    case DataType::Fp32:
      return rates.fp32;
    case DataType::Tf32:
      return rates.tf32;
    case DataType::Fp16:
      return rates.fp16;
    case DataType::Bf16:
      return gpu.supports_bf16 ? rates.fp16 : 0.0;
    case DataType::Fp8:
      return rates.fp8;
    case DataType::Int8:
      return rates.int8;
    case DataType::NvFp4:
    case DataType::MxFp4:
      return rates.fp4;
    case DataType::Int4:
      return 0.0;
  }
  return 0.0;
}

std::string alternatives(const GpuSpec& gpu) {
  std::string names = "fp32, fp16";
  if (gpu.supports_bf16) names += ", bf16";
  if (gpu.tensor_rates.tf32 > 0) names += ", tf32";
  if (gpu.tensor_rates.int8 > 0) names += ", int8";
  if (gpu.tensor_rates.fp8 > 0) names += ", fp8";
  if (gpu.tensor_rates.fp4 > 0) names += ", nvfp4";
  return names;
}

[[noreturn]] void refuse(std::string_view what, const GpuSpec& gpu) {
  throw Unsupported(fmt::format("{} cannot multiply {}; it can run: {}", gpu.name, what, alternatives(gpu)));
}

bool may_run_on_cuda_cores(DataType type, const GpuSpec& gpu) {
  if (type == DataType::Bf16) return gpu.supports_bf16;
  return type == DataType::Fp32 || type == DataType::Fp16;
}

// GP100 has lanes that take two fp16 operations at once, its later siblings a few for compatibility alone
// (Pascal whitepaper; CUDA programming guide, arithmetic instructions).
constexpr int kPackedHalves = 60;  // compute capability, times 10

// FLOP per clock and SM without matrix units.
double lane_rate(DataType type, const GpuSpec& gpu) {
  const bool packed = type == DataType::Fp16 && gpu.compute_capability == kPackedHalves;
  return (packed ? 4.0 : 2.0) * gpu.fma_lanes;
}

bool runs_weight_only_kernels(const GpuSpec& gpu) { return gpu.supports_bf16 && gpu.tensor_rates.fp16 > 0; }

}  // namespace

MatrixUnit matrix_unit(MatmulScheme scheme, const GpuSpec& gpu) {
  const DataType math = math_type(scheme);
  if (const double rate = tensor_rate_of(math, gpu); rate > 0) return {rate, true, false};
  if (may_run_on_cuda_cores(math, gpu)) return {lane_rate(math, gpu), false, false};
  switch (scheme) {
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
    case MatmulScheme::Fp8Block:
    case MatmulScheme::NvFp4:
      if (runs_weight_only_kernels(gpu)) return {gpu.tensor_rates.fp16, true, true};
      break;
    case MatmulScheme::Int8WeightOnly:
    case MatmulScheme::Int4WeightOnly:
      // The same kernels exist with fp16 activations where bf16 is missing.
      if (gpu.tensor_rates.fp16 > 0) return {gpu.tensor_rates.fp16, true, true};
      return {2.0 * gpu.fma_lanes, false, true};
    default:
      break;
  }
  refuse(name_of(scheme), gpu);
}

MatrixUnit attention_unit(DataType compute, const GpuSpec& gpu) {
  if (const double rate = tensor_rate_of(compute, gpu); rate > 0) return {rate, true, false};
  if (may_run_on_cuda_cores(compute, gpu)) return {2.0 * gpu.fma_lanes, false, false};
  refuse(fmt::format("{} attention", name_of(compute)), gpu);
}

double fastest_attention_rate(DataType compute, DataType kv_cache, const GpuSpec& gpu) {
  return std::max(attention_unit(compute, gpu).flop_per_clock_per_sm, tensor_rate_of(kv_cache, gpu));
}

}  // namespace warploom
