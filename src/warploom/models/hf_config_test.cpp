#include "warploom/models/hf_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "warploom/models/contains_text.h"

namespace warploom {
namespace {

Json llama() {
  return Json::parse(
      R"({"architectures": ["LlamaForCausalLM"], "torch_dtype": "bfloat16", "hidden_size": 4096,
      "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
      "intermediate_size": 14336,
      "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false})");
}

Json deepseek() {
  return Json::parse(
      R"({"architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 7168,
      "num_hidden_layers": 61,
      "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432,
      "vocab_size": 129280,
      "max_position_embeddings": 163840, "n_routed_experts": 256, "num_experts_per_tok": 8,
      "moe_intermediate_size": 2048, "n_shared_experts": 1, "first_k_dense_replace": 3,
      "moe_layer_freq": 1,
      "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
      "v_head_dim": 128})");
}

ModelArchitecture read(const Json& config, const Json* hf_quant = nullptr) {
  return architecture_from_config(config, hf_quant, "test/model", "config.json");
}

Attention attention_of(const LayerGroup& layer) { return std::get<Attention>(layer.mixer); }

std::int64_t windowed_layers(const ModelArchitecture& model) {
  std::int64_t count = 0;
  for (const LayerGroup& layer : model.layers) count += attention_of(layer).windowed() ? layer.count : 0;
  return count;
}

template <class E>
std::string refusal(const Json& config, const Json* hf_quant = nullptr) {
  try {
    read(config, hf_quant);
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

TEST(HfConfig, ReadsLlama) {
  const ModelArchitecture model = read(llama());
  const Attention& attention = attention_of(model.layers[0]);
  EXPECT_EQ(attention.head_dim, 128);
  EXPECT_EQ(attention.value_head_dim, 128);
  EXPECT_EQ(attention.rotary_dim, 128);
  EXPECT_EQ(attention.kv_heads, 8);
  EXPECT_FALSE(attention.qkv_bias);
  EXPECT_FALSE(model.tie_embeddings);
  ASSERT_EQ(model.layers.size(), 1u);
  EXPECT_EQ(model.layers[0].count, 32);
  EXPECT_EQ(attention.reach, AttentionReach::Full);
  EXPECT_EQ(model.layers[0].schemes.mlp, MatmulScheme::Bf16);
}

TEST(HfConfig, TakesHeadDimFromTheConfigWhenItDiffersFromHiddenOverHeads) {
  Json config = llama();
  config["architectures"] = {"Qwen3ForCausalLM"};
  config["hidden_size"] = 5120;
  config["num_attention_heads"] = 64;
  config["head_dim"] = 128;
  const ModelArchitecture model = read(config);
  EXPECT_EQ(attention_of(model.layers[0]).head_dim, 128);
  EXPECT_EQ(attention_of(model.layers[0]).qk_norm, QueryKeyNorm::PerHead);
  config.erase("head_dim");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "'head_dim' is missing");
}

TEST(HfConfig, NamesAMissingField) {
  for (const char* key :
       {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"}) {
    Json config = llama();
    config.erase(key);
    EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), key) << key;
  }
}

TEST(HfConfig, RefusesWrongTypesAndRanges) {
  Json config = llama();
  config["hidden_size"] = -4096;
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "'hidden_size' is -4096");
  config["hidden_size"] = "4096";
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "expected an integer");
  config["hidden_size"] = 4096.5;
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "4096.5");
  config["hidden_size"] = 0;
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "positive");
  config = llama();
  config["num_key_value_heads"] = 5;
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "not a multiple");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(Json::array()), "config.json");
}

TEST(HfConfig, RefusesUnsupportedArchitecturesWithTheReason) {
  Json config = llama();
  config["architectures"] = {"MiniMaxM1ForCausalLM"};
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "lightning attention");
  config["architectures"] = {"JambaForCausalLM"};
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "state-space layers");
  config["architectures"] = {"Qwen3ForCausaLM"};
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "did you mean 'Qwen3ForCausalLM'");
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "supported: AXK1ForCausalLM");
  config.erase("architectures");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "'architectures' is missing");
  config = deepseek();
  config["index_topk"] = 2048;
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "index_topk");
}

TEST(HfConfig, IgnoresAWindowThatIsSwitchedOff) {
  Json config = llama();
  config["architectures"] = {"Qwen2ForCausalLM"};
  config["sliding_window"] = 4096;
  config["use_sliding_window"] = false;
  EXPECT_EQ(windowed_layers(read(config)), 0);
  EXPECT_TRUE(attention_of(read(config).layers[0]).qkv_bias);
  config["use_sliding_window"] = true;
  config["max_window_layers"] = 28;
  EXPECT_EQ(windowed_layers(read(config)), 4);
}

TEST(HfConfig, ReadsWindowedAndUnknownLayerTypes) {
  Json config = llama();
  config["layer_types"] = Json::array();
  for (int i = 0; i < 32; ++i)
    config["layer_types"].push_back(i % 2 == 0 ? "sliding_attention" : "full_attention");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "'sliding_window' is missing");
  config["sliding_window"] = 128;
  const ModelArchitecture model = read(config);
  EXPECT_EQ(windowed_layers(model), 16);
  EXPECT_EQ(model.layers.size(), 32u);
  EXPECT_EQ(merged_layers(model, 0, 32).size(), 2u);
  config["layer_types"][3] = "mamba";
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "'mamba'");
  config["layer_types"] = {"full_attention"};
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "one for each of 32 layers");
}

TEST(HfConfig, ReadsLatentAttentionAndDenseFirstLayers) {
  const ModelArchitecture model = read(deepseek());
  ASSERT_EQ(model.layers.size(), 2u);
  EXPECT_EQ(model.layers[0].count, 3);
  EXPECT_EQ(model.layers[0].mixture(), nullptr);
  EXPECT_EQ(model.layers[1].count, 58);
  ASSERT_NE(model.layers[1].mixture(), nullptr);
  EXPECT_EQ(model.mixture()->shared_intermediate, 2048);
  EXPECT_EQ(std::get<LatentAttention>(model.layers[1].mixer).shape.kv_lora_rank, 512);
}

Json gemma4() {
  Json config;
  config["architectures"] = {"Gemma4ForConditionalGeneration"};
  config["text_config"] = Json::parse(R"({"hidden_size": 2816, "num_hidden_layers": 6,
      "num_attention_heads": 16, "num_key_value_heads": 8, "num_global_key_value_heads": 2, "head_dim": 256,
      "global_head_dim": 512, "attention_k_eq_v": true, "intermediate_size": 2112, "enable_moe_block": true,
      "num_experts": 128, "top_k_experts": 8, "moe_intermediate_size": 704, "vocab_size": 262144,
      "max_position_embeddings": 262144, "sliding_window": 1024, "num_kv_shared_layers": 0,
      "hidden_size_per_layer_input": 0, "layer_types": ["sliding_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]})");
  return config;
}

TEST(HfConfig, ReadsWiderFullLayersOfGemma4) {
  const ModelArchitecture model = read(gemma4());
  ASSERT_EQ(model.layers.size(), 2u);
  const Attention windowed = attention_of(model.layers[0]), full = attention_of(model.layers[1]);
  EXPECT_EQ(model.layers[0].count, 5);
  EXPECT_EQ(windowed.window, 1024);
  EXPECT_EQ(windowed.kv_heads, 8);
  EXPECT_EQ(windowed.head_dim, 256);
  EXPECT_FALSE(windowed.keys_are_values);
  EXPECT_EQ(full.reach, AttentionReach::Full);
  EXPECT_EQ(full.kv_heads, 2);
  EXPECT_EQ(full.head_dim, 512);
  EXPECT_EQ(full.rotary_dim, 512);
  EXPECT_TRUE(full.keys_are_values && full.value_norm && windowed.value_norm);
  ASSERT_NE(model.layers[1].mixture(), nullptr);
  EXPECT_EQ(model.layers[1].mixture()->mlp_intermediate, 2112);
  EXPECT_EQ(model.norms_per_layer, 4);
  EXPECT_TRUE(model.tie_embeddings);
  Json dense = gemma4();
  dense["text_config"]["enable_moe_block"] = false;
  dense["text_config"]["attention_k_eq_v"] = false;
  EXPECT_EQ(read(dense).mixture(), nullptr);
  EXPECT_EQ(attention_of(read(dense).layers[1]).kv_heads, 8);
}

TEST(HfConfig, RefusesWhatNoKindOfLayerModels) {
  Json config = gemma4();
  config["text_config"]["num_kv_shared_layers"] = 2;
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "share keys and values");
  config = gemma4();
  config["text_config"]["hidden_size_per_layer_input"] = 256;
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "per-layer embeddings");
}

Json mimo_v2() {
  return Json::parse(R"({"architectures": ["MiMoV2FlashForCausalLM"], "num_hidden_layers": 3,
      "hidden_size": 4096, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 192,
      "v_head_dim": 128, "swa_num_attention_heads": 64, "swa_num_key_value_heads": 8, "swa_head_dim": 192,
      "swa_v_head_dim": 128, "partial_rotary_factor": 0.334, "attention_value_scale": 0.707,
      "add_swa_attention_sink_bias": true, "add_full_attention_sink_bias": false,
      "sliding_window_size": 128, "hybrid_layer_pattern": [0, 1, 1], "moe_layer_freq": [0, 1, 1],
      "intermediate_size": 16384, "moe_intermediate_size": 2048, "n_routed_experts": 256,
      "n_shared_experts": null, "num_experts_per_tok": 8, "vocab_size": 152576,
      "max_position_embeddings": 262144, "tie_word_embeddings": false})");
}

TEST(HfConfig, ReadsTheTwoAttentionsOfMimoV2) {
  const ModelArchitecture model = read(mimo_v2());
  ASSERT_EQ(model.layers.size(), 2u);
  const Attention full = attention_of(model.layers[0]), windowed = attention_of(model.layers[1]);
  EXPECT_EQ(full.kv_heads, 4);
  EXPECT_EQ(full.reach, AttentionReach::Full);
  EXPECT_FALSE(full.sinks);
  EXPECT_EQ(windowed.kv_heads, 8);
  EXPECT_EQ(windowed.window, 128);
  EXPECT_TRUE(windowed.sinks);
  for (const Attention& attention : {full, windowed}) {
    EXPECT_EQ(attention.head_dim, 192);
    EXPECT_EQ(attention.value_head_dim, 128);
    EXPECT_EQ(attention.rotary_dim, 64);
    EXPECT_TRUE(attention.scales_values);
  }
  EXPECT_EQ(std::get<DenseMlp>(model.layers[0].feed_forward).intermediate, 16384);
  EXPECT_EQ(model.layers[1].mixture()->experts, 256);
  Json config = mimo_v2();
  config["hybrid_layer_pattern"] = {0, 1};
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "one for each of 3 layers");
  config["hybrid_layer_pattern"] = {0, 1, 2};
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "holds 2");
  config = mimo_v2();
  config.erase("swa_num_key_value_heads");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "'swa_num_key_value_heads' is missing");
}

Json decilm() {
  return Json::parse(R"({"architectures": ["DeciLMForCausalLM"], "hidden_size": 8192, "num_hidden_layers": 2,
      "num_attention_heads": 64, "num_key_value_heads": null, "intermediate_size": null,
      "vocab_size": 128256, "max_position_embeddings": 131072, "block_configs": [
      {"attention": {"n_heads_in_group": 8, "no_op": false, "window_length": null},
       "ffn": {"ffn_mult": 5.25, "no_op": false}},
      {"attention": {"n_heads_in_group": null, "no_op": true}, "ffn": {"ffn_mult": 1.3125}}]})");
}

TEST(HfConfig, ReadsBlocksOfAnArchitectureSearch) {
  const ModelArchitecture model = read(decilm());
  ASSERT_EQ(model.layers.size(), 2u);
  EXPECT_EQ(attention_of(model.layers[0]).kv_heads, 8);
  EXPECT_EQ(std::get<DenseMlp>(model.layers[0].feed_forward).intermediate, 28672);
  EXPECT_TRUE(std::holds_alternative<NoMixer>(model.layers[1].mixer));
  EXPECT_EQ(std::get<DenseMlp>(model.layers[1].feed_forward).intermediate, 7168);
  Json config = decilm();
  config["block_configs"][0]["attention"]["window_length"] = 4096;
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "'window_length' is not modelled");
  config = decilm();
  config["block_configs"][1]["ffn"]["replace_with_linear"] = true;
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "'replace_with_linear' is not modelled");
  config = decilm();
  config["block_configs"].erase(1);
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "2 blocks");
  config = decilm();
  config["block_configs"][0]["ffn"]["ffn_mult"] = 0;
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "'ffn_mult' is 0");
  config = llama();
  config["block_configs"] = decilm()["block_configs"];
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "'block_configs' of LlamaForCausalLM");
}

TEST(HfConfig, ReadsNestedTextConfig) {
  Json text = llama();
  text.erase("architectures");
  text["head_dim"] = 128;
  Json config;
  config["architectures"] = {"Qwen3VLForConditionalGeneration"};
  config["text_config"] = text;
  const ModelArchitecture model = read(config);
  EXPECT_EQ(model.hidden, 4096);
  EXPECT_EQ(model.notes.size(), 1u);
}

TEST(HfConfig, ReadsFp8) {
  Json config = llama();
  config["quantization_config"] = {{"quant_method", "fp8"}, {"activation_scheme", "dynamic"}};
  EXPECT_EQ(read(config).layers[0].schemes.mlp, MatmulScheme::Fp8);
  config["quantization_config"]["weight_block_size"] = {128, 128};
  EXPECT_EQ(read(config).layers[0].schemes.mlp, MatmulScheme::Fp8Block);
  config["quantization_config"]["weight_block_size"] = {64, 64};
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "weight_block_size");
  config["quantization_config"] = {{"quant_method", "bitsandbytes"}};
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "'bitsandbytes'");
}

TEST(HfConfig, KeepsListedModulesInSixteenBit) {
  Json config = llama();
  config["quantization_config"] = {
      {"quant_method", "fp8"},
      {"modules_to_not_convert", {"model.layers.0", "model.layers.31.mlp", "lm_head"}}};
  const ModelArchitecture model = read(config);
  ASSERT_EQ(model.layers.size(), 3u);
  EXPECT_EQ(model.layers[0].count, 1);
  EXPECT_EQ(model.layers[0].schemes.attention_input, MatmulScheme::Bf16);
  EXPECT_EQ(model.layers[1].schemes.attention_input, MatmulScheme::Fp8);
  EXPECT_EQ(model.layers[2].schemes.mlp, MatmulScheme::Bf16);
  EXPECT_EQ(model.layers[2].schemes.attention_output, MatmulScheme::Fp8);
  config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4.self_attn.k_proj"};
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "layer 4");
}

TEST(HfConfig, ReadsIntegerWeights) {
  Json config = llama();
  config["quantization_config"] = {{"quant_method", "awq"}, {"bits", 4}, {"group_size", 128}};
  EXPECT_EQ(read(config).layers[0].schemes.mlp, MatmulScheme::Int4WeightOnly);
  config["quantization_config"] = {{"quant_method", "gptq"}, {"bits", 8}};
  EXPECT_EQ(read(config).layers[0].schemes.mlp, MatmulScheme::Int8WeightOnly);
  config["quantization_config"]["bits"] = 3;
  EXPECT_PRED2(contains_text, refusal<Unsupported>(config), "3 bits");
  config["quantization_config"].erase("bits");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "bits");
}

TEST(HfConfig, ReadsCompressedTensorsWithExpressions) {
  Json config = deepseek();
  config["quantization_config"] =
      Json::parse(R"({"quant_method": "compressed-tensors", "format": "pack-quantized",
      "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32},
                                    "input_activations": null}},
      "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|down)_proj.*"]})");
  const ModelArchitecture model = read(config);
  ASSERT_EQ(model.layers.size(), 2u);
  EXPECT_EQ(model.layers[0].schemes.mlp, MatmulScheme::Bf16);
  EXPECT_EQ(model.layers[1].schemes.experts, MatmulScheme::Int4WeightOnly);
  EXPECT_EQ(model.layers[1].schemes.shared_experts, MatmulScheme::Bf16);
  EXPECT_EQ(model.layers[1].schemes.attention_input, MatmulScheme::Bf16);
  EXPECT_EQ(model.quantization.group_size, 32);
  config["quantization_config"]["ignore"] = {"re:("};
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "regular expression");
}

TEST(HfConfig, ReadsModeloptFileBesideTheConfig) {
  const Json quant = Json::parse(R"({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4",
      "kv_cache_quant_algo": "FP8", "group_size": 16,
      "exclude_modules": ["lm_head", "model.layers.*.self_attn*"]}})");
  const ModelArchitecture model = read(llama(), &quant);
  EXPECT_EQ(model.layers[0].schemes.mlp, MatmulScheme::NvFp4);
  EXPECT_EQ(model.layers[0].schemes.attention_input, MatmulScheme::Bf16);
  EXPECT_EQ(model.quantization.kv_cache, DataType::Fp8);
  const Json mixed = Json::parse(R"({"quantization": {"quant_algo": "MIXED_PRECISION"}})");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(llama(), &mixed), "'quantized_layers' is missing");

  const auto folder = std::filesystem::temp_directory_path() / "warploom_hf_config_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << llama().dump();
  std::ofstream(folder / "hf_quant_config.json") << quant.dump();
  EXPECT_EQ(read_hf_config(folder).layers[0].schemes.mlp, MatmulScheme::NvFp4);
  EXPECT_EQ(read_hf_config(folder / "config.json").name, "warploom_hf_config_test");
  std::filesystem::remove_all(folder);
  EXPECT_THROW(read_hf_config(folder), IoError);
}

TEST(HfConfig, QuantizesOnLoadUnlessAlreadyQuantised) {
  const ModelArchitecture model = quantize_linears(read(llama()), MatmulScheme::Fp8);
  EXPECT_EQ(model.layers[0].schemes.attention_output, MatmulScheme::Fp8);
  EXPECT_THROW(quantize_linears(model, MatmulScheme::Int8), InvalidInput);
}

// Python's json module writes them; a config that needs one of them is still refused.
TEST(HfConfig, ReadsWordsOfPythonsJson) {
  std::string text = llama().dump();
  text.insert(1, R"("time_step_limit": [0.0, Infinity, -Infinity, NaN], "_name_or_path": "say \"NaN\"", )");
  EXPECT_EQ(parse_hf_config(text, "config.json").hidden, 4096);
  Json config = llama();
  config["hidden_size"] = 1e308;  // Infinity
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "'hidden_size'");
}

TEST(HfConfig, ReadsAnAlgorithmForEachModule) {
  const Json mixed = Json::parse(R"({"quantization": {"quant_algo": "MIXED_PRECISION",
      "kv_cache_quant_algo": "NVFP4", "quantized_layers": {
        "model.layers.*.self_attn.q_proj": {"quant_algo": "MXFP8"},
        "model.layers.*.self_attn.k_proj": {"quant_algo": "MXFP8"},
        "model.layers.*.self_attn.v_proj": {"quant_algo": "MXFP8"},
        "model.layers.*.mlp.down_proj": {"quant_algo": "W4A16_NVFP4", "group_size": 16}}}})");
  const ModelArchitecture model = read(llama(), &mixed);
  EXPECT_EQ(model.layers[0].schemes.attention_input, MatmulScheme::Fp8Block);
  EXPECT_EQ(model.layers[0].schemes.attention_output, MatmulScheme::Bf16);
  EXPECT_EQ(model.layers[0].schemes.mlp, MatmulScheme::Int4WeightOnly);
  EXPECT_EQ(model.quantization.kv_cache, DataType::NvFp4);
  EXPECT_EQ(model.quantization.group_size, 16);
  EXPECT_DOUBLE_EQ(model.quantization.scale_bytes, 1);
  EXPECT_EQ(model.notes.size(), 2u);  // both have no kernel of their own
  Json partly = mixed;
  partly["quantization"]["quantized_layers"].erase("model.layers.*.self_attn.k_proj");
  EXPECT_PRED2(contains_text, refusal<Unsupported>(llama(), &partly), "self_attn.k_proj");
}

TEST(HfConfig, RefusesModulesThatAreNotThere) {
  Json config = llama();
  config["quantization_config"] = {{"quant_method", "fp8"},
                                   {"modules_to_not_convert", {"model.layers.40.mlp"}}};
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config),
               "'model.layers.40.mlp', expected a layer from 0");
  config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4.self_atn.k_proj"};
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "did you mean 'self_attn'");
  config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4.input_layernorm", "lm_head"};
  EXPECT_TRUE(read(config).notes.empty());
  config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4.ffn_extra.proj",
                                                             "model.layers.5.ffn_extra.proj"};
  ASSERT_EQ(read(config).notes.size(), 1U);
  EXPECT_PRED2(contains_text, read(config).notes.front(), "'ffn_extra'");
  // Parts with a product, whatever words stand in their names.
  for (const char* part : {"gate_proj", "up_gate", "norm_proj", "scale_up", "indexer", "biased_router"}) {
    config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4." + std::string(part)};
    ASSERT_EQ(read(config).notes.size(), 1U) << part;
    EXPECT_PRED2(contains_text, read(config).notes.front(), "'" + std::string(part) + "'");
  }
  for (const char* part : {"gate", "router", "attention_norm", "pre_feedforward_layernorm_2", "norm1",
                           "enorm", "hc_attn_scale", "hc_ffn_base"}) {
    config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4." + std::string(part)};
    EXPECT_TRUE(read(config).notes.empty()) << part;
  }
  // A module in a known part: every word of its path is looked at.
  for (const char* module : {"self_attn.foo_proj", "self_attn.q_porj", "mlp.experts.3.gaet_proj",
                             "mlp.q_proj", "self_attn.up_proj", "self_attn.indexer.foo"}) {
    config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4." + std::string(module)};
    EXPECT_PRED2(contains_text, refusal<InvalidInput>(config), "model.layers.4." + std::string(module))
        << module;
  }
  config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4.self_attn.q_porj"};
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(config),
               "no module 'q_porj' is in self_attn of any layer (did you mean 'q_proj'");
  for (const char* module : {"self_attn", "mlp.gate", "self_attn.k_norm.bias", "mlp.experts.3.gate_proj",
                             "mlp.shared_experts.down_proj.weight"}) {
    config["quantization_config"]["modules_to_not_convert"] = {"model.layers.4." + std::string(module)};
    EXPECT_TRUE(read(config).notes.empty()) << module;
  }
  const Json misspelt =
      Json::parse(R"({"quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": {
      "model.layers.0.self_attn.foo_proj": {"quant_algo": "FP8"}}}})");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(llama(), &misspelt),
               "no module 'foo_proj' is in self_attn");
  const Json mixed = Json::parse(R"({"quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": {
      "model.layers.0.expert_bank.down_proj": {"quant_algo": "FP8"}}}})");
  EXPECT_PRED2(contains_text, refusal<InvalidInput>(llama(), &mixed),
               "expected self_attn, mlp below a layer");
}

TEST(HfConfig, RefusesMechanismsByName) {
  for (const char* key : {"hc_mult", "engram_layer_ids", "compress_ratios", "sparse_attention_config",
                          "attn_res_block_size", "moe_latent_size", "linear_attn_config", "index_kpool"}) {
    Json config = llama();
    config[key] = 4;
    EXPECT_PRED2(contains_text, refusal<Unsupported>(config), key);
  }
}

TEST(HfConfig, RefusesTextThatIsNoJson) {
  EXPECT_THROW(parse_hf_config("{\"hidden_size\": NaN}", "config.json"), InvalidInput);
  EXPECT_EQ(parse_hf_config(llama().dump(), "config.json").hidden, 4096);
}

}  // namespace
}  // namespace warploom
