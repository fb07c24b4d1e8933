#include "warploom/models/hf/hf_quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "warploom/models/hf/layer_modules.h"

namespace warploom {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

void CheckpointQuantization::exclude(std::vector<std::string> patterns) {
  schemes_.exclude(patterns, facts_.method);
  facts_.not_converted = std::move(patterns);
}

CheckpointQuantization::CheckpointQuantization(const ConfigValues& config, const Json* hf_quant) {
  if (const auto quantization = config.nested("quantization_config")) {
    read_checkpoint(*quantization);
    read_experts(config, *quantization);
  } else if (hf_quant != nullptr) {
    const ConfigValues document(*hf_quant, "hf_quant_config.json");
    const auto modelopt = document.nested("quantization");
    if (!modelopt)
      throw InvalidInput("hf_quant_config.json: 'quantization' is missing, expected quant_algo in it");
    facts_.method = "modelopt";
    read_modelopt(*modelopt, "exclude_modules");
  }
  const auto take_group = [this](const StoredScheme& scheme) {
    if (scheme.group_size > 0) facts_.group_size = scheme.group_size;
    if (scheme.scheme == MatmulScheme::Int4WeightOnly) facts_.scale_bytes = scheme.scale_bytes;
  };
  if (schemes_.usual()) take_group(*schemes_.usual());
  std::for_each(schemes_.named_schemes().begin(), schemes_.named_schemes().end(), take_group);
}

// 'expert_dtype' of an fp8 checkpoint, beside the sizes or in the quantisation.
void CheckpointQuantization::read_experts(const ConfigValues& config, const ConfigValues& quantization) {
  const std::string type = quantization.text("expert_dtype", config.text("expert_dtype"));
  if (type.empty() || type == "fp8") return;
  if (type != "fp4" || !schemes_.usual())
    refuse_quantization(quantization, fmt::format("expert_dtype '{}'", type));
  experts_ = mxfp4_scheme();
}

void CheckpointQuantization::read_checkpoint(const ConfigValues& config) {
  facts_.method = lower(config.text("quant_method"));
  if (facts_.method.empty() && config.has("quant_algo")) facts_.method = "modelopt";
  facts_.group_size = config.integer("group_size", 0);
  const std::string& method = facts_.method;
  if (method.starts_with("modelopt"))
    return read_modelopt(config, config.has("ignore") ? "ignore" : "exclude_modules");
  if (method == "compressed-tensors") return read_compressed_tensors(config);
  if (method == "fp8") {
    schemes_.set_usual(fp8_scheme(config));
    // Experts in another form over an fp8 checkpoint; 'ignore' says what keeps the checkpoint's own.
    if (config.has("quantized_layers")) return read_named_layers(config);
  } else if (method == "fbgemm_fp8") {
    schemes_.set_usual({.scheme = MatmulScheme::Fp8});
  } else if (method.starts_with("awq") || method.starts_with("gptq") || method == "auto-round") {
    schemes_.set_usual(weight_only_scheme(config, config.needed({"bits", "w_bit"}), method));
  } else if (method == "mxfp4") {
    schemes_.set_usual(mxfp4_scheme());
    experts_only_ = true;
  } else {
    refuse_quantization(config, method.empty() ? "a quantization_config without quant_method"
                                               : "quant_method '" + method + "'");
  }
  exclude(config.texts(config.has("modules_to_not_convert") ? "modules_to_not_convert" : "ignored_layers"));
}

void CheckpointQuantization::read_cache(const ConfigValues& config) {
  facts_.kv_cache = cache_type_of(config, config.text("kv_cache_quant_algo"));
  const Json* scheme = config.find("kv_cache_scheme");
  if (scheme == nullptr) return;
  if (scheme->is_string()) {
    facts_.kv_cache = cache_type_of(config, config.text("kv_cache_scheme"));
    return;
  }
  const ConfigValues cache = *config.nested("kv_cache_scheme");
  const std::int64_t bits = cache.integer("num_bits", 0);
  if (cache.text("type") != "float" || (bits != 8 && bits != 4))
    refuse_quantization(cache, fmt::format("a cache of {} bits, type '{}'", bits, cache.text("type")));
  facts_.kv_cache = bits == 8 ? DataType::Fp8 : DataType::NvFp4;
}

// 'quantized_layers': an algorithm for each module by name.
void CheckpointQuantization::read_named_layers(const ConfigValues& config) {
  const auto layers = config.nested("quantized_layers");
  if (!layers)
    throw InvalidInput(fmt::format("{}: 'quantized_layers' is missing, expected the algorithm of each module",
                                   config.where()));
  const Json* document = config.find("quantized_layers");
  for (const auto& [name, entry] : document->items()) {
    const ConfigValues module(entry, fmt::format("{}: {}", layers->where(), name));
    if (!entry.is_object())
      throw InvalidInput(fmt::format("{}: is no object, expected one with quant_algo", module.where()));
    schemes_.name(name, scheme_of_algorithm(module, module.text("quant_algo")), module.where());
  }
}

void CheckpointQuantization::read_modelopt(const ConfigValues& config, std::string_view ignore_key) {
  const std::string algorithm = config.text("quant_algo");
  facts_.group_size = config.integer("group_size", 0);
  read_cache(config);
  exclude(config.texts(ignore_key));
  if (algorithm.empty()) {
    facts_.method.clear();  // the cache alone
  } else if (algorithm == "MIXED_PRECISION") {
    read_named_layers(config);
  } else {
    schemes_.set_usual(scheme_of_algorithm(config, algorithm));
  }
}

void CheckpointQuantization::read_compressed_tensors(const ConfigValues& config) {
  const auto groups = config.nested("config_groups");
  const Json* document = config.find("config_groups");
  if (!groups || document->empty()) refuse_quantization(config, "compressed-tensors without config_groups");
  for (const auto& [name, entry] : document->items()) {
    const ConfigValues group(entry, fmt::format("{}: {}", groups->where(), name));
    const StoredScheme scheme = scheme_of_group(group, config.text("format"));
    const std::vector<std::string> targets = group.texts("targets");
    const bool all = targets.empty() || std::find(targets.begin(), targets.end(), "Linear") != targets.end();
    if (all && schemes_.usual() && *schemes_.usual() != scheme)
      refuse_quantization(config, "compressed-tensors with groups of different schemes for the same modules");
    if (all) {
      schemes_.set_usual(scheme);
    } else {
      for (const std::string& target : targets) schemes_.name(target, scheme, group.where());
    }
  }
  read_cache(config);
  exclude(config.texts("ignore"));
}

MatmulScheme CheckpointQuantization::scheme_of(MatmulScheme plain, std::int64_t layer, std::string_view where,
                                               std::span<const std::string_view> modules) const {
  std::optional<StoredScheme> joint;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::optional<StoredScheme> own = schemes_.of(layer, modules[i]);
    if (i > 0 && own != joint)
      throw Unsupported(
          fmt::format("{}: the checkpoint stores the {} and the {} of layer {}, which engines fuse, in "
                      "different ways: it quantises only part of them, or not alike",
                      where, modules.front(), modules[i], layer));
    joint = own;
  }
  return joint ? joint->scheme : plain;
}

void CheckpointQuantization::note_stand_ins(ModelArchitecture& model) const {
  std::vector<StoredScheme> all = schemes_.named_schemes();
  if (schemes_.usual()) all.push_back(*schemes_.usual());
  for (const StoredScheme& scheme : all) {
    const std::string note(scheme.priced_as);
    if (!note.empty() && std::find(model.notes.begin(), model.notes.end(), note) == model.notes.end())
      model.notes.push_back(note);
  }
}

void CheckpointQuantization::apply(ModelArchitecture& model, std::vector<LayerGroup>& layers,
                                   const HfFamily& family) const {
  model.quantization = facts_;
  if (facts_.kv_cache == DataType::Bf16) model.quantization.kv_cache = family.kv_cache;
  const MatmulScheme plain = plain_scheme(model.dtype);
  std::vector<LayerPart> parts;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LayerSchemes& schemes = layers[i].schemes;
    schemes = {plain, plain, plain, plain, plain};
    if (facts_.method.empty()) continue;
    const LayerModuleNames names(layers[i], family);
    names.add_parts(parts);
    const auto scheme = [&](const std::vector<std::string>& modules) {
      const std::vector<std::string_view> paths(modules.begin(), modules.end());
      return scheme_of(plain, static_cast<std::int64_t>(i), model.name, paths);
    };
    schemes.experts = scheme(names.experts);
    // Experts have a type of their own unless a list names them.
    if (experts_ && !names.experts.empty() && schemes.experts == schemes_.usual()->scheme)
      schemes.experts = experts_->scheme;
    if (experts_only_) continue;
    schemes.attention_input = scheme(names.mixer_input);
    schemes.attention_output = scheme(names.mixer_output);
    schemes.mlp = scheme(names.mlp);
    schemes.shared_experts = scheme(names.shared_experts);
  }
  if (facts_.method.empty()) return;
  const std::int64_t named = std::ssize(layers) + std::max<std::int64_t>(model.mtp_layers, 1);
  for (const std::string& part : schemes_.check_names(named, parts, model.name))
    model.notes.push_back(fmt::format(
        "the quantisation leaves out '{}' of layers, which this model is not known to have: not priced",
        part));
  note_stand_ins(model);
}

}  // namespace warploom
