#include "warploom/kernels/data_type.h"

namespace warploom {

DataType weight_type(MatmulScheme scheme) {
  switch (scheme) {
    case MatmulScheme::Fp32:
      return DataType::Fp32;
    case MatmulScheme::Tf32:
      return DataType::Tf32;
    case MatmulScheme::Fp16:
      return DataType::Fp16;
    case MatmulScheme::Bf16:
      return DataType::Bf16;
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
    case MatmulScheme::Fp8Block:
      return DataType::Fp8;
    case MatmulScheme::Int8:
    case MatmulScheme::Int8WeightOnly:
      return DataType::Int8;
    case MatmulScheme::Int4WeightOnly:
      return DataType::Int4;
    case MatmulScheme::NvFp4:
      return DataType::NvFp4;
    case MatmulScheme::MxFp4A16:
    case MatmulScheme::MxFp4A8:
      return DataType::MxFp4;
  }
  return DataType::Bf16;
}

DataType activation_type(MatmulScheme scheme) {
  switch (scheme) {
    case MatmulScheme::Int8WeightOnly:
    case MatmulScheme::Int4WeightOnly:
    case MatmulScheme::MxFp4A16:
      return DataType::Bf16;
    case MatmulScheme::MxFp4A8:
      return DataType::Fp8;
    default:
      return weight_type(scheme);
  }
}

DataType math_type(MatmulScheme scheme) { return activation_type(scheme); }

bool quantises_activations(MatmulScheme scheme) {
  switch (scheme) {
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Block:
    case MatmulScheme::Int8:
    case MatmulScheme::NvFp4:
    case MatmulScheme::MxFp4A8:
      return true;
    default:
      return false;
  }
}

}  // namespace warploom
