#include "warploom/models/hf_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/file.h"
#include "warploom/models/hf/config_values.h"
#include "warploom/models/hf/hf_families.h"
#include "warploom/models/hf/hf_quantization.h"
#include "warploom/models/hf/python_json.h"
#include "warploom/models/hf/vision_config.h"

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

void read_sizes(const ConfigValues& config, const ConfigValues& text, const HfFamily& family,
                ModelArchitecture& model) {
  model.dtype = dtype_of(config, text);
  model.hidden = text.needed({"hidden_size", "n_embd"});
  model.vocabulary = text.needed({"vocab_size", "padded_vocab_size"});
  model.max_positions = text.integer("max_position_embeddings", text.integer("seq_length", 0));
  model.tie_embeddings =
      config.flag("tie_word_embeddings", text.flag("tie_word_embeddings", family.tie_embeddings));
  model.mtp_layers = text.integer(
      "num_mtp_modules", text.integer("num_nextn_predict_layers", text.integer("mtp_num_hidden_layers", 0)));
  model.norms_per_layer = family.norms_per_layer;
  model.layer_norm = family.layer_norm;
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
  const HfFamily& family = family_of_config(config, text, model.architecture);
  read_sizes(config, text, family, model);
  model.vision = vision_part(config, model.architecture);
  std::vector<LayerGroup> layers = family.layers(text, model);
  if (family.facts != nullptr) family.facts(text, model);
  const ConfigValues& quantised = config.has("quantization_config") ? config : text;
  CheckpointQuantization(quantised, hf_quant).apply(model, layers, family);
  for (const LayerGroup& layer : layers) append_layer(model.layers, layer);
  check_architecture(model, where);
  return model;
}

ModelArchitecture read_hf_config(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path / "config.json" : path;
  const auto read = [](const std::filesystem::path& name) {
    return parse_python_json(read_file(name), name.string());
  };
  const Json config = read(file);
  const std::filesystem::path beside = file.parent_path() / "hf_quant_config.json";
  Json hf_quant;
  const bool has_quant = std::filesystem::exists(beside);
  if (has_quant) hf_quant = read(beside);
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
  return architecture_from_config(parse_python_json(text, where), nullptr, where, where);
}

}  // namespace warploom
