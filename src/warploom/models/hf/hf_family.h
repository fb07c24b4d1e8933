// How the configs of some architectures are read: one value for each family, listed in hf_families.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/hf/config_values.h"

namespace warploom {

struct HfFamily {
  std::span<const std::string_view> architectures;  // class names in config.json
  // The layers in order, one entry each, without quantisation. `text` holds the keys of the language model;
  // of `model` the facts outside the layers are read already. Throws InvalidInput and Unsupported.
  std::vector<LayerGroup> (*layers)(const ConfigValues& text, const ModelArchitecture& model);
  // Facts of the model beside its layers; null where there are none.
  void (*facts)(const ConfigValues& text, ModelArchitecture& model) = nullptr;
  std::int64_t norms_per_layer = 2;
  bool layer_norm = false;
  bool tie_embeddings = false;  // unless the config says otherwise
  // Modules of a checkpoint below a layer's path, which say how their group of matrices is stored.
  std::string_view experts_module = "mlp.experts.0.gate_proj";
  std::string_view shared_experts_module = "mlp.shared_experts.down_proj";
  std::string_view linear_attention_module = "linear_attn.in_proj_qkv";
  std::string_view mlp_module = "mlp.down_proj";
  std::string_view mixer_path = "";    // stands for the first component of the modules that mixers name
  DataType kv_cache = DataType::Bf16;  // of engines where a checkpoint asks for none; Bf16: the model's own
  std::span<const std::string_view> reads_keys{};  // of mechanisms that other families are refused for
};

}  // namespace warploom
