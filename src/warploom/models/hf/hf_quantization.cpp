#include "warploom/models/hf/hf_quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

namespace warploom {
namespace {

constexpr std::string_view kSupportedMethods =
    "fp8 (also with weight_block_size 128 x 128), fbgemm_fp8, awq and gptq (4 or 8 bits), "
    "compressed-tensors, modelopt "
    "(FP8, NVFP4, W4A16), mxfp4";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

[[noreturn]] void refuse(const ConfigValues& config, std::string_view what) {
  throw Unsupported(
      fmt::format("{}: {} is not supported; supported: {}", config.where(), what, kSupportedMethods));
}

MatmulScheme weight_only(const ConfigValues& config, std::int64_t bits, std::string_view method) {
  if (bits == 4) return MatmulScheme::Int4WeightOnly;
  if (bits == 8) return MatmulScheme::Int8WeightOnly;
  refuse(config, fmt::format("{} with {} bits", method, bits));
}

MatmulScheme fp8_scheme(const ConfigValues& config) {
  if (config.has("weight_block_size")) {
    if (config.integers("weight_block_size") != std::vector<std::int64_t>{128, 128}) {
      refuse(config, "fp8 with a weight_block_size other than [128, 128]");
    }
    return MatmulScheme::Fp8Block;
  }
  return config.text("activation_scheme", "dynamic") == "static" ? MatmulScheme::Fp8Static
                                                                 : MatmulScheme::Fp8;
}

MatmulScheme group_scheme(const ConfigValues& group, std::string_view format) {
  const auto weights = group.nested("weights");
  if (!weights) refuse(group, "a group without 'weights'");
  const std::int64_t bits = weights->needed("num_bits");
  const std::string type = weights->text("type", "int");
  const auto inputs = group.nested("input_activations");
  const bool dynamic = inputs && inputs->has("dynamic") && inputs->find("dynamic")->is_boolean() &&
                       inputs->flag("dynamic", true);
  if (type == "float" && bits == 4 && inputs && format.find("nvfp4") != std::string_view::npos)
    return MatmulScheme::NvFp4;
  if (type == "float" && bits == 4 && inputs && weights->integer("group_size", 0) == 16)
    return MatmulScheme::NvFp4;
  if (type == "float" && bits == 8 && inputs) {
    if (weights->text("strategy") == "block") return MatmulScheme::Fp8Block;
    return dynamic ? MatmulScheme::Fp8 : MatmulScheme::Fp8Static;
  }
  if (type == "int" && bits == 8 && inputs) return MatmulScheme::Int8;
  if (type == "int" && !inputs) return weight_only(group, bits, "compressed-tensors");
  refuse(group, fmt::format("compressed-tensors with {}-bit {} weights{}", bits, type,
                            inputs ? " and quantised activations" : " alone"));
}

bool is_fp8_cache(const ConfigValues& config) {
  const auto scheme = config.nested("kv_cache_scheme");
  return scheme && scheme->integer("num_bits", 0) == 8 && scheme->text("type") == "float";
}

}  // namespace

void CheckpointQuantization::exclude(std::vector<std::string> patterns) {
  for (const std::string& pattern : patterns) excluded_.emplace_back(pattern, facts_.method);
  facts_.not_converted = std::move(patterns);
}

CheckpointQuantization::CheckpointQuantization(const ConfigValues& config, const Json* hf_quant) {
  if (const auto quantization = config.nested("quantization_config")) {
    read_checkpoint(*quantization);
  } else if (hf_quant != nullptr) {
    const ConfigValues document(*hf_quant, "hf_quant_config.json");
    const auto modelopt = document.nested("quantization");
    if (!modelopt)
      throw InvalidInput("hf_quant_config.json: 'quantization' is missing, expected quant_algo in it");
    facts_.method = "modelopt";
    read_modelopt(*modelopt, "exclude_modules");
  }
}

void CheckpointQuantization::read_checkpoint(const ConfigValues& config) {
  facts_.method = lower(config.text("quant_method"));
  facts_.group_size = config.integer("group_size", 0);
  const std::string& method = facts_.method;
  if (method.starts_with("modelopt"))
    return read_modelopt(config, config.has("ignore") ? "ignore" : "exclude_modules");
  if (method == "compressed-tensors") return read_compressed_tensors(config);
  if (method == "fp8") {
    scheme_ = fp8_scheme(config);
  } else if (method == "fbgemm_fp8") {
    scheme_ = MatmulScheme::Fp8;
  } else if (method.starts_with("awq") || method.starts_with("gptq") || method == "auto-round") {
    scheme_ = weight_only(config, config.needed({"bits", "w_bit"}), method);
  } else if (method == "mxfp4") {
    scheme_ = MatmulScheme::MxFp4A16;
    experts_only_ = true;
  } else {
    refuse(config,
           method.empty() ? "a quantization_config without quant_method" : "quant_method '" + method + "'");
  }
  exclude(config.texts(config.has("modules_to_not_convert") ? "modules_to_not_convert" : "ignored_layers"));
}

void CheckpointQuantization::read_modelopt(const ConfigValues& config, std::string_view ignore_key) {
  const std::string algorithm = config.text("quant_algo");
  facts_.group_size = config.integer("group_size", 0);
  const std::string cache = lower(config.text("kv_cache_quant_algo"));
  if (cache == "fp8" || is_fp8_cache(config)) {
    facts_.kv_cache = DataType::Fp8;
  } else if (!cache.empty() && cache != "none") {
    refuse(config, fmt::format("kv_cache_quant_algo '{}'", cache));
  }
  exclude(config.texts(ignore_key));
  if (algorithm == "FP8") {
    scheme_ = MatmulScheme::Fp8Static;
  } else if (algorithm == "FP8_PER_CHANNEL_PER_TOKEN") {
    scheme_ = MatmulScheme::Fp8;
  } else if (algorithm == "NVFP4") {
    scheme_ = MatmulScheme::NvFp4;
  } else if (algorithm == "W4A16_AWQ" || algorithm == "W4A16") {
    scheme_ = MatmulScheme::Int4WeightOnly;
  } else if (algorithm.empty()) {
    facts_.method.clear();  // the cache alone
  } else {
    refuse(config, fmt::format("quant_algo '{}'", algorithm));
  }
  if (scheme_ == MatmulScheme::NvFp4) facts_.group_size = 16;
}

void CheckpointQuantization::read_compressed_tensors(const ConfigValues& config) {
  const auto groups = config.nested("config_groups");
  const Json* document = config.find("config_groups");
  if (!groups || document->empty()) refuse(config, "compressed-tensors without config_groups");
  bool first = true;
  for (const auto& [name, entry] : document->items()) {
    const ConfigValues group(entry, fmt::format("{}: {}", groups->where(), name));
    const MatmulScheme scheme = group_scheme(group, config.text("format"));
    if (!first && scheme != scheme_) refuse(config, "compressed-tensors with groups of different schemes");
    scheme_ = scheme;
    first = false;
    if (const auto weights = group.nested("weights")) facts_.group_size = weights->integer("group_size", 0);
  }
  if (is_fp8_cache(config)) facts_.kv_cache = DataType::Fp8;
  exclude(config.texts("ignore"));
}

MatmulScheme CheckpointQuantization::scheme_of(MatmulScheme plain, std::int64_t layer, std::string_view where,
                                               std::span<const std::string_view> modules) const {
  constexpr std::array<std::string_view, 3> kPrefixes{"model.layers.", "language_model.model.layers.",
                                                      "model.language_model.layers."};
  std::size_t kept = 0;
  for (const std::string_view module : modules) {
    const bool excluded = std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
      const std::string path = fmt::format("{}{}.{}", prefix, layer, module);
      return std::any_of(excluded_.begin(), excluded_.end(), [&](const auto& p) { return p.matches(path); });
    });
    kept += excluded ? 1 : 0;
  }
  if (kept == modules.size()) return plain;
  if (kept == 0) return scheme_;
  throw Unsupported(
      fmt::format("{}: the checkpoint quantises only part of the {} of layer {}, which engines fuse", where,
                  modules.front(), layer));
}

void CheckpointQuantization::apply(ModelArchitecture& model, std::vector<LayerGroup>& layers,
                                   const HfFamily& family) const {
  model.quantization = facts_;
  const MatmulScheme plain = plain_scheme(model.dtype);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LayerSchemes& schemes = layers[i].schemes;
    schemes = {plain, plain, plain, plain, plain};
    if (facts_.method.empty()) continue;
    const auto all = [&](std::span<const std::string_view> modules) {
      return scheme_of(plain, static_cast<std::int64_t>(i), model.name, modules);
    };
    const auto scheme = [&](std::string_view module) { return all({&module, 1}); };
    const MixtureOfExperts* mixture = layers[i].mixture();
    if (mixture != nullptr) schemes.experts = scheme(family.experts_module);
    if (experts_only_) continue;
    const LayerModules modules =
        std::visit([](const auto& mixer) { return mixer.modules(); }, layers[i].mixer);
    if (!modules.input.empty()) {
      schemes.attention_input = std::holds_alternative<GatedDeltaNet>(layers[i].mixer)
                                    ? scheme(family.linear_attention_module)
                                    : all(modules.input);
      schemes.attention_output = scheme(modules.output);
    }
    if (mixture == nullptr || mixture->mlp_intermediate > 0) schemes.mlp = scheme("mlp.down_proj");
    if (mixture != nullptr) schemes.shared_experts = scheme(family.shared_experts_module);
  }
}

}  // namespace warploom
