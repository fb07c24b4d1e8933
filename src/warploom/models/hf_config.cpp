#include "warploom/models/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/models/config_values.h"
#include "warploom/models/hf_families.h"
#include "warploom/models/hf_layers.h"
#include "warploom/models/hf_quantization.h"

namespace warploom {
namespace {

std::string architecture_name(const ConfigValues& config) {
  const std::vector<std::string> names = config.texts("architectures");
  return names.empty() ? std::string() : names.front();
}

DataType dtype_of(const ConfigValues& config, const ConfigValues& text) {
  for (const ConfigValues* values : {&text, &config}) {
    for (const std::string_view key : {"dtype", "torch_dtype"}) {
      const std::string name = values->text(key);
      if (name.empty() || name == "auto") continue;
      if (name == "bfloat16" || name == "float32")
        return DataType::Bf16;  // engines load fp32 checkpoints as bf16
      if (name == "float16") return DataType::Fp16;
      throw Unsupported(fmt::format("{}: {} '{}' is not supported; supported: bfloat16, float16, float32",
                                    values->where(), key, name));
    }
  }
  return DataType::Bf16;
}

bool head_dim_may_be_derived(ModelFamily family) {
  switch (family) {
    case ModelFamily::Llama:
    case ModelFamily::Mixtral:
    case ModelFamily::Qwen1:
    case ModelFamily::Qwen2:
    case ModelFamily::Qwen2Moe:
    case ModelFamily::Phi:
    case ModelFamily::Phi3:
      return true;
    default:
      return false;
  }
}

double rotary_share(const ConfigValues& text, ModelFamily family) {
  double otherwise = 1.0;
  if (family == ModelFamily::Glm4Moe || family == ModelFamily::Phi) otherwise = 0.5;
  if (family == ModelFamily::Qwen3Next || family == ModelFamily::Qwen35 || family == ModelFamily::Qwen35Moe)
    otherwise = 0.25;
  if (const auto rope = text.nested("rope_parameters"))
    otherwise = rope->real("partial_rotary_factor", otherwise);
  const double share = text.real("partial_rotary_factor", otherwise);
  if (!(share > 0 && share <= 1)) {
    throw InvalidInput(fmt::format("{}: 'partial_rotary_factor' is {}, expected above 0 and at most 1",
                                   text.where(), share));
  }
  return share;
}

bool has_qkv_bias(const ConfigValues& text, ModelFamily family) {
  switch (family) {
    case ModelFamily::Qwen1:
    case ModelFamily::Qwen2:
    case ModelFamily::Qwen2Moe:
    case ModelFamily::Phi:
      return true;
    case ModelFamily::GptOss:
      return text.flag("attention_bias", true);
    default:
      return text.flag("attention_bias", text.flag("bias", false));
  }
}

QueryKeyNorm qk_norm_of(const ConfigValues& text, ModelFamily family) {
  switch (family) {
    case ModelFamily::Qwen3:
    case ModelFamily::Qwen3Moe:
    case ModelFamily::Gemma3:
    case ModelFamily::Qwen3Next:
    case ModelFamily::Qwen35:
    case ModelFamily::Qwen35Moe:
      return QueryKeyNorm::PerHead;
    case ModelFamily::MiniMaxM2:
      return text.flag("use_qk_norm", true) ? QueryKeyNorm::FullWidth : QueryKeyNorm::None;
    case ModelFamily::Glm4Moe:
    case ModelFamily::Llama4:
      return text.flag("use_qk_norm", false) ? QueryKeyNorm::PerHead : QueryKeyNorm::None;
    default:
      return QueryKeyNorm::None;
  }
}

void read_standard_attention(const ConfigValues& text, ModelFamily family, ModelArchitecture& model) {
  model.heads = text.needed("num_attention_heads");
  model.kv_heads = text.integer("num_key_value_heads", model.heads);
  if (text.has("head_dim") || text.has("kv_channels")) {
    model.head_dim = text.needed({"head_dim", "kv_channels"});
  } else if (!head_dim_may_be_derived(family)) {
    model.head_dim = text.needed("head_dim");
  } else {
    if (model.hidden % model.heads != 0) {
      throw InvalidInput(
          fmt::format("{}: 'head_dim' is missing and hidden_size {} is no multiple of {} heads", text.where(),
                      model.hidden, model.heads));
    }
    model.head_dim = model.hidden / model.heads;
  }
  const auto rotating = static_cast<double>(model.head_dim) * rotary_share(text, family);
  model.rotary_dim = text.integer("rotary_dim", static_cast<std::int64_t>(std::llround(rotating)));
  model.qkv_bias = has_qkv_bias(text, family);
  model.qk_norm = qk_norm_of(text, family);
  model.qk_norm_weights = family != ModelFamily::Llama4;
}

void read_latent_attention(const ConfigValues& text, ModelArchitecture& model) {
  LatentAttention latent;
  latent.q_lora_rank = text.integer("q_lora_rank", 0);
  latent.shape.heads = text.needed("num_attention_heads");
  latent.shape.kv_lora_rank = text.needed("kv_lora_rank");
  latent.shape.rope_head_dim = text.needed("qk_rope_head_dim");
  latent.shape.nope_head_dim = text.needed("qk_nope_head_dim");
  latent.shape.value_head_dim = text.needed("v_head_dim");
  model.heads = model.kv_heads = latent.shape.heads;
  model.head_dim = latent.shape.nope_head_dim + latent.shape.rope_head_dim;
  model.rotary_dim = latent.shape.rope_head_dim;
  model.latent = latent;
}

void read_linear_attention(const ConfigValues& text, ModelArchitecture& model) {
  LinearAttentionShape linear;
  linear.key_heads = text.needed("linear_num_key_heads");
  linear.value_heads = text.needed("linear_num_value_heads");
  linear.key_dim = text.needed("linear_key_head_dim");
  linear.value_dim = text.needed("linear_value_head_dim");
  linear.convolution_width = text.needed("linear_conv_kernel_dim");
  model.linear = linear;
  model.output_gate = text.flag("attn_output_gate", true);
}

void read_mixture(const ConfigValues& text, ModelFamily family, ModelArchitecture& model) {
  MixtureOfExperts mixture;
  mixture.experts = text.needed({"num_local_experts", "n_routed_experts", "num_experts"});
  mixture.top_k = text.needed({"num_experts_per_tok", "num_experts_per_token", "experts_per_token"});
  switch (family) {
    case ModelFamily::Mixtral:
    case ModelFamily::GptOss:
    case ModelFamily::MiniMaxM2:
    case ModelFamily::Llama4:
      mixture.intermediate = text.needed("intermediate_size");
      break;
    default:
      mixture.intermediate = text.needed("moe_intermediate_size");
      break;
  }
  if (family == ModelFamily::Llama4) mixture.shared_intermediate = mixture.intermediate;
  if (family == ModelFamily::DeepSeek || family == ModelFamily::Glm4Moe) {
    const std::int64_t shared = text.integer("n_shared_experts", 0);
    if (__builtin_mul_overflow(shared, mixture.intermediate, &mixture.shared_intermediate))
      throw InvalidInput(fmt::format("{}: {} 'n_shared_experts' of width {} are more than any model has",
                                     text.where(), shared, mixture.intermediate));
  }
  if (family == ModelFamily::Qwen2Moe || family == ModelFamily::Qwen3Next ||
      family == ModelFamily::Qwen35Moe) {
    mixture.shared_intermediate = text.needed("shared_expert_intermediate_size");
    mixture.shared_gate = true;
  }
  model.mixture = mixture;
}

std::int64_t dense_intermediate(const ConfigValues& text, ModelFamily family) {
  if (family == ModelFamily::Llama4) return text.needed("intermediate_size_mlp");
  const std::int64_t width = text.needed({"intermediate_size", "n_inner"});
  return family == ModelFamily::Qwen1 ? width / 2 : width;  // the first Qwen counts gate and up together
}

void read_sizes(const ConfigValues& config, const ConfigValues& text, ModelFamily family,
                ModelArchitecture& model) {
  const bool gemma =
      family == ModelFamily::Gemma || family == ModelFamily::Gemma2 || family == ModelFamily::Gemma3;
  model.dtype = dtype_of(config, text);
  model.hidden = text.needed({"hidden_size", "n_embd"});
  model.vocabulary = text.needed("vocab_size");
  model.max_positions = text.integer("max_position_embeddings", text.integer("seq_length", 0));
  model.tie_embeddings = config.flag("tie_word_embeddings", text.flag("tie_word_embeddings", gemma));
  model.mtp_layers = text.integer("num_nextn_predict_layers",
                                  text.integer("mtp_num_hidden_layers", text.integer("num_mtp_modules", 0)));
  if (family == ModelFamily::Gemma2 || family == ModelFamily::Gemma3) model.norms_per_layer = 4;
  if (family == ModelFamily::Phi) {
    model.norms_per_layer = 1;
    model.layer_norm = true;
    model.gated_mlp = false;
  }
  if (text.where() != config.where()) {
    model.notes.emplace_back(
        "the language part of a multimodal model: encoders of images and sound are not counted");
  }
}

}  // namespace

ModelArchitecture architecture_from_config(const Json& document, const Json* hf_quant, std::string_view name,
                                           std::string_view where) {
  if (!document.is_object())
    throw InvalidInput(fmt::format("{}: is no JSON object, expected a config.json", where));
  const ConfigValues config(document, where);
  const ConfigValues text = config.nested("text_config").value_or(config);
  ModelArchitecture model;
  model.name = name;
  model.architecture = architecture_name(config);
  const ModelFamily family = family_of_config(config, text, model.architecture);
  read_sizes(config, text, family, model);
  std::vector<LayerGroup> layers = layers_of_config(text, family, model);
  if (family == ModelFamily::DeepSeek) {
    read_latent_attention(text, model);
  } else {
    read_standard_attention(text, family, model);
  }
  const auto any = [&layers](auto property) { return std::any_of(layers.begin(), layers.end(), property); };
  if (any([](const LayerGroup& l) { return l.attention == AttentionKind::Linear; }))
    read_linear_attention(text, model);
  if (any([](const LayerGroup& l) { return l.mixture; })) read_mixture(text, family, model);
  if (any([](const LayerGroup& l) { return !l.mixture; }))
    model.intermediate = dense_intermediate(text, family);
  const ConfigValues& quantised = config.has("quantization_config") ? config : text;
  CheckpointQuantization(quantised, hf_quant).apply(model, layers);
  for (const LayerGroup& layer : layers) append_layer(model.layers, layer);
  check_architecture(model, where);
  return model;
}

ModelArchitecture read_hf_config(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path / "config.json" : path;
  const Json config = read_json_file(file);
  const std::filesystem::path beside = file.parent_path() / "hf_quant_config.json";
  Json hf_quant;
  const bool has_quant = std::filesystem::exists(beside);
  if (has_quant) hf_quant = read_json_file(beside);
  std::string name =
      config.is_object() && config.contains("_name_or_path") && config["_name_or_path"].is_string()
          ? config["_name_or_path"].get<std::string>()
          : std::string();
  if (name.empty()) {
    const std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal();
    name = (whole.filename() == "config.json" ? whole.parent_path().filename() : whole.stem()).string();
  }
  return architecture_from_config(config, has_quant ? &hf_quant : nullptr, name, file.string());
}

ModelArchitecture parse_hf_config(std::string_view text, std::string_view where) {
  return architecture_from_config(parse_json(text, where), nullptr, where, where);
}

}  // namespace warploom
