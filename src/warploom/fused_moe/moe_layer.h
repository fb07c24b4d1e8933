// The expert layer that an engine asks a fused_moe configuration for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/base/fields.h"

namespace warploom {

enum class MoeEngine { Vllm, Sglang };
template <>
struct EnumNames<MoeEngine> {
  static constexpr std::array<std::pair<MoeEngine, std::string_view>, 2> kNames{
      {{MoeEngine::Vllm, "vllm"}, {MoeEngine::Sglang, "sglang"}}};
};

// As engines write it into file names; 16-bit weights have no name there.
enum class MoeDtype { Bits16, Fp8W8A8 };
template <>
struct EnumNames<MoeDtype> {
  static constexpr std::array<std::pair<MoeDtype, std::string_view>, 2> kNames{
      {{MoeDtype::Bits16, "bf16"}, {MoeDtype::Fp8W8A8, "fp8_w8a8"}}};
};

// Sizes of the whole model; a GPU holds experts / expert_parallel experts of width intermediate /
// tensor_parallel. block_n and block_k: shape of a block of fp8 weights with one scale, 0 = one scale a
// tensor.
struct MoeLayer {
  std::int64_t experts = 8, top_k = 2;
  std::int64_t hidden = 4096, intermediate = 14336;
  MoeDtype dtype = MoeDtype::Bits16;
  std::int64_t block_n = 0, block_k = 0;
  std::int64_t tensor_parallel = 1, expert_parallel = 1;

  std::int64_t held() const { return experts / expert_parallel; }
  std::int64_t width() const { return intermediate / tensor_parallel; }
  static FieldTable describe();
};

// What the engines refuse at start: more choices than experts, experts or width that do not divide, widths
// that no tile of 16 divides, blocks of scales that do not divide the sharded width. Throws InvalidInput that
// starts with `where` and says what is allowed.
void check_moe_layer(const MoeLayer& layer, std::string_view where);

// Token counts that engines' own tuning covers; a launch takes the nearest.
inline constexpr std::array<std::int64_t, 18> kMoeLadder{1,  2,   4,   8,   16,   24,   32,   48,   64,
                                                         96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096};
// The first and last token count that look up kMoeLadder[i] (ties go to the smaller key, which stands first
// in the file); the last key serves up to twice itself here.
std::pair<std::int64_t, std::int64_t> served_tokens(std::size_t i);

// "E=16,N=4096,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"; SGLang has a blank behind
// the comma of the block.
std::string moe_config_file_name(const MoeLayer& layer, std::string_view device_name, MoeEngine engine);
// ",block_shape=[128,128]" as the engine writes it.
std::string block_shape_name(std::int64_t block_n, std::int64_t block_k, MoeEngine engine);

}  // namespace warploom
