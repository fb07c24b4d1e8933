#include "warploom/models/hf/stored_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::string_view kSupportedMethods =
    "fp8 (also with weight_block_size 128 x 128, 32 x 32 and 1 x 32), fbgemm_fp8, awq and gptq "
    "(4 or 8 bits), compressed-tensors, "
    "modelopt (FP8, MXFP8, NVFP4, W4A16, W4A8, MIXED_PRECISION and their kin), mxfp4";

// Groups of the formats (OCP Microscaling Formats 1.0; NVFP4 of ModelOpt).
constexpr std::int64_t kMxGroup = 32, kNvFp4Group = 16;
constexpr double kByteScale = 1;

constexpr StoredScheme kNvFp4{.scheme = MatmulScheme::NvFp4, .group_size = kNvFp4Group};
constexpr StoredScheme kMxFp8{.scheme = MatmulScheme::Fp8Block,
                              .group_size = kMxGroup,
                              .priced_as = "mxfp8 products are priced as fp8 with blocks of 128"};
// Marlin's kernels multiply both in 16 bits.
constexpr StoredScheme kNvFp4Alone{.scheme = MatmulScheme::Int4WeightOnly,
                                   .group_size = kNvFp4Group,
                                   .scale_bytes = kByteScale,
                                   .priced_as = "nvfp4 weights of 16-bit products are priced as int4"};
constexpr StoredScheme kMxFp4Fp8{.scheme = MatmulScheme::MxFp4A8, .group_size = kMxGroup};
constexpr StoredScheme kInt4Fp8{.scheme = MatmulScheme::MxFp4A8,
                                .priced_as = "4-bit weights of fp8 products are priced as mxfp4"};

// ModelOpt's names (vLLM's modelopt.py and TensorRT-LLM's quantization/mode.py).
constexpr std::array<std::pair<std::string_view, StoredScheme>, 15> kAlgorithms{{
    {"FP8", {.scheme = MatmulScheme::Fp8Static}},
    {"FP8_PER_CHANNEL_PER_TOKEN", {.scheme = MatmulScheme::Fp8}},
    {"FP8_PB_WO", {.scheme = MatmulScheme::Fp8Block}},
    {"FP8_BLOCK_SCALES", {.scheme = MatmulScheme::Fp8Block}},
    {"MXFP8", kMxFp8},
    {"NVFP4", kNvFp4},
    {"NVFP4_AWQ", kNvFp4},
    {"W4A16_NVFP4", kNvFp4Alone},
    {"W4A16", {.scheme = MatmulScheme::Int4WeightOnly}},
    {"W4A16_AWQ", {.scheme = MatmulScheme::Int4WeightOnly}},
    {"W8A16", {.scheme = MatmulScheme::Int8WeightOnly}},
    {"W4A8_AWQ", kInt4Fp8},
    {"W4A8_NVFP4_FP8", kInt4Fp8},
    {"W4A8_MXFP4_FP8", kMxFp4Fp8},
    {"W4A16_MXFP4", {.scheme = MatmulScheme::MxFp4A16, .group_size = kMxGroup}},
}};

StoredScheme float4_scheme(std::int64_t group, std::string_view format, bool inputs) {
  const bool mx = format.starts_with("mxfp4") || group == kMxGroup;
  if (mx) return inputs ? kMxFp4Fp8 : mxfp4_scheme();
  return inputs ? kNvFp4 : kNvFp4Alone;
}

// Whether scales of activations are found in every step; compressed-tensors may also say "local".
bool is_dynamic(const ConfigValues& inputs) {
  const Json* value = inputs.find("dynamic");
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

}  // namespace

void refuse_quantization(const ConfigValues& config, std::string_view what) {
  throw Unsupported(
      fmt::format("{}: {} is not supported; supported: {}", config.where(), what, kSupportedMethods));
}

StoredScheme mxfp4_scheme() { return {.scheme = MatmulScheme::MxFp4A16, .group_size = kMxGroup}; }

StoredScheme scheme_of_algorithm(const ConfigValues& config, const std::string& algorithm) {
  for (const auto& [name, scheme] : kAlgorithms)
    if (name == algorithm) return scheme;
  refuse_quantization(config, fmt::format("quant_algo '{}'", algorithm));
}

StoredScheme weight_only_scheme(const ConfigValues& config, std::int64_t bits, std::string_view method) {
  if (bits == 4) return {.scheme = MatmulScheme::Int4WeightOnly};
  if (bits == 8) return {.scheme = MatmulScheme::Int8WeightOnly};
  refuse_quantization(config, fmt::format("{} with {} bits", method, bits));
}

StoredScheme fp8_scheme(const ConfigValues& config) {
  if (!config.has("weight_block_size")) {
    const bool known_scales = config.text("activation_scheme", "dynamic") == "static";
    return {.scheme = known_scales ? MatmulScheme::Fp8Static : MatmulScheme::Fp8};
  }
  const std::vector<std::int64_t> block = config.integers("weight_block_size");
  if (block == std::vector<std::int64_t>{128, 128}) return {.scheme = MatmulScheme::Fp8Block};
  if (block == std::vector<std::int64_t>{kMxGroup, kMxGroup} ||
      block == std::vector<std::int64_t>{1, kMxGroup}) {
    StoredScheme scheme = kMxFp8;
    scheme.priced_as = "fp8 with blocks of 32 is priced as with blocks of 128";
    return scheme;
  }
  refuse_quantization(config, "fp8 with a weight_block_size other than [128, 128], [32, 32] and [1, 32]");
}

StoredScheme scheme_of_group(const ConfigValues& group, const std::string& format) {
  const auto weights = group.nested("weights");
  if (!weights) refuse_quantization(group, "a group without 'weights'");
  const std::int64_t bits = weights->needed("num_bits");
  const std::string type = weights->text("type", "int"), own_format = group.text("format", format);
  const auto inputs = group.nested("input_activations");
  const std::int64_t size = weights->integer("group_size", 0);
  if (type == "float" && bits == 4) return float4_scheme(size, own_format, inputs.has_value());
  if (type == "float" && bits == 8 && inputs) {
    if (size == kMxGroup) return kMxFp8;
    if (weights->text("strategy") == "block") return {.scheme = MatmulScheme::Fp8Block};
    return {.scheme = is_dynamic(*inputs) ? MatmulScheme::Fp8 : MatmulScheme::Fp8Static};
  }
  if (type == "int" && bits == 8 && inputs) return {.scheme = MatmulScheme::Int8};
  if (type == "int" && bits == 4 && inputs && inputs->text("type") == "float") return kInt4Fp8;
  if (type == "int" && !inputs) {
    StoredScheme scheme = weight_only_scheme(group, bits, "compressed-tensors");
    scheme.group_size = size;
    return scheme;
  }
  refuse_quantization(group, fmt::format("compressed-tensors with {}-bit {} weights{}", bits, type,
                                         inputs ? " and quantised activations" : " alone"));
}

DataType cache_type_of(const ConfigValues& config, const std::string& name) {
  std::string word = name;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word.empty() || word == "none" || word == "auto") return DataType::Bf16;
  if (word.starts_with("fp8")) return DataType::Fp8;
  if (word.starts_with("nvfp4") || word == "fp4") return DataType::NvFp4;
  if (word == "int8") return DataType::Int8;
  refuse_quantization(config, fmt::format("kv_cache_quant_algo '{}'", name));
}

}  // namespace warploom
