// Private to the module: how a checkpoint is quantised, from quantization_config or hf_quant_config.json.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/hf/config_values.h"
#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/module_schemes.h"

namespace warploom {

class CheckpointQuantization {
 public:
  // `config` holds the keys of quantization_config; `hf_quant`, when not null, is the document of
  // hf_quant_config.json and serves when there is no quantization_config. Throws Unsupported on a method that
  // is not modelled.
  CheckpointQuantization(const ConfigValues& config, const Json* hf_quant);

  // Sets schemes of all layers and the model's quantization facts. Throws Unsupported when a checkpoint
  // stores the modules of a fused group in different ways, InvalidInput when it names modules that are not
  // there.
  void apply(ModelArchitecture& model, std::vector<LayerGroup>& layers, const HfFamily& family) const;

 private:
  void read_checkpoint(const ConfigValues& config);
  void read_modelopt(const ConfigValues& config, std::string_view ignore_key);
  void read_named_layers(const ConfigValues& config);
  void read_compressed_tensors(const ConfigValues& config);
  void read_cache(const ConfigValues& config);
  void read_experts(const ConfigValues& config, const ConfigValues& quantization);
  void exclude(std::vector<std::string> patterns);
  MatmulScheme scheme_of(MatmulScheme plain, std::int64_t layer, std::string_view where,
                         std::span<const std::string_view> modules) const;
  void note_stand_ins(ModelArchitecture& model) const;

  QuantizationFacts facts_;
  ModuleSchemes schemes_;
  std::optional<StoredScheme> experts_;
  bool experts_only_ = false;
};

}  // namespace warploom
