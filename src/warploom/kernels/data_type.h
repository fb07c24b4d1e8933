// Element types of operands and caches.
#pragma once

#include "warploom/base/fields.h"

namespace warploom {

enum class DataType { Fp32, Tf32, Fp16, Bf16, Fp8, Int8, NvFp4, MxFp4, Int4 };
template <>
struct EnumNames<DataType> {
  static constexpr std::array<std::pair<DataType, std::string_view>, 9> kNames{{{DataType::Fp32, "fp32"},
                                                                                {DataType::Tf32, "tf32"},
                                                                                {DataType::Fp16, "fp16"},
                                                                                {DataType::Bf16, "bf16"},
                                                                                {DataType::Fp8, "fp8"},
                                                                                {DataType::Int8, "int8"},
                                                                                {DataType::NvFp4, "nvfp4"},
                                                                                {DataType::MxFp4, "mxfp4"},
                                                                                {DataType::Int4, "int4"}}};
};

// Bytes of one element, block scales included: nvfp4 carries one fp8 scale per 16 elements, mxfp4 one 8-bit
// exponent per 32, int4 one fp16 scale per 128 (AWQ and GPTQ's usual group).
constexpr double bytes_per_element(DataType type) {
  switch (type) {
    case DataType::Fp32:
    case DataType::Tf32:
      return 4.0;
    case DataType::Fp16:
    case DataType::Bf16:
      return 2.0;
    case DataType::Fp8:
    case DataType::Int8:
      return 1.0;
    case DataType::NvFp4:
      return 0.5 + 1.0 / 16.0;
    case DataType::MxFp4:
      return 0.5 + 1.0 / 32.0;
    case DataType::Int4:
      return 0.5 + 2.0 / 128.0;
  }
  return 0.0;
}

// How the operands of a matrix multiplication are stored and multiplied.
enum class MatmulScheme {
  Fp32,  // CUDA cores
  Tf32,
  Fp16,
  Bf16,
  Fp8,        // per-tensor or per-token scales, activations quantised on the fly
  Fp8Static,  // per-tensor scales known beforehand
  Fp8Block,   // 128 x 128 weight blocks, 1 x 128 activation groups (DeepSeek)
  Int8,       // W8A8 (SmoothQuant)
  Int8WeightOnly,
  Int4WeightOnly,  // AWQ, GPTQ, Marlin
  NvFp4,           // W4A4 with fp8 scales per 16
  MxFp4A16,        // mxfp4 weights, bf16 activations (gpt-oss on Hopper and older)
  MxFp4A8,         // mxfp4 weights, mxfp8 activations (gpt-oss on Blackwell)
};
template <>
struct EnumNames<MatmulScheme> {
  static constexpr std::array<std::pair<MatmulScheme, std::string_view>, 13> kNames{
      {{MatmulScheme::Fp32, "fp32"},
       {MatmulScheme::Tf32, "tf32"},
       {MatmulScheme::Fp16, "fp16"},
       {MatmulScheme::Bf16, "bf16"},
       {MatmulScheme::Fp8, "fp8"},
       {MatmulScheme::Fp8Static, "fp8_static"},
       {MatmulScheme::Fp8Block, "fp8_block"},
       {MatmulScheme::Int8, "int8"},
       {MatmulScheme::Int8WeightOnly, "int8_wo"},
       {MatmulScheme::Int4WeightOnly, "int4_wo"},
       {MatmulScheme::NvFp4, "nvfp4"},
       {MatmulScheme::MxFp4A16, "mxfp4_a16"},
       {MatmulScheme::MxFp4A8, "mxfp4_a8"}}};
};

// The type in which weights are stored, activations enter, and products are formed.
DataType weight_type(MatmulScheme scheme);
DataType activation_type(MatmulScheme scheme);  // after quantisation, as read by the matrix unit
DataType math_type(MatmulScheme scheme);        // selects the tensor rate
// Whether the library quantises activations inside the call (its time includes that pass).
bool quantises_activations(MatmulScheme scheme);

}  // namespace warploom
